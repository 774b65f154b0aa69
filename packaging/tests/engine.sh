# Sourced: a container engine for the tests of the image, podman and runc as Debian has them, with storage of its own.
#
#   engine_there        whether there is one; where it can be installed (root, apt-get), it is; if not, says why not
#   engine_begin DIR    its settings and storage are in DIR; `pod …` is podman
#   engine_serve        DOCKER_HOST is a socket of it that speaks Docker's API, which Testcontainers is told about
#   engine_end          its containers and its storage are gone

engine_lacks() { # its programs that are not there; networks are made by one that is in no PATH
    local program
    for program in podman runc conmon iptables; do command -v "$program" > /dev/null || echo "$program"; done
    [ -x /usr/lib/podman/netavark ] || [ -x /usr/libexec/podman/netavark ] || echo netavark
}

engine_there() {
    [ "$(id -u)" = 0 ] || { echo "it needs root"; return 1; }
    [ -n "$(engine_lacks)" ] || return 0
    if command -v apt-get > /dev/null; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends podman runc conmon \
            netavark aardvark-dns iptables; } > /dev/null 2>&1 || true
    fi
    [ -z "$(engine_lacks)" ] || { echo "there is no $(engine_lacks | xargs), and apt-get brings none"; return 1; }
}

engine_begin() { # folder
    ENGINE=$1
    # runc, since crun refuses machines with both versions of control groups; no systemd is asked.
    cat > "$ENGINE/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
CONF
    printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/graph"\n' "$ENGINE" "$ENGINE" > "$ENGINE/storage.conf"
    export CONTAINERS_CONF=$ENGINE/containers.conf CONTAINERS_STORAGE_CONF=$ENGINE/storage.conf
}

pod() {
    case $1 in
        # netavark does not know the word, and there is no syslog.
        run | start | stop | rm) podman --log-level=fatal "$@" 2> >(grep -vE "invalid logging spec|failed to connect to syslog" >&2) ;;
        *) podman --log-level=fatal "$@" ;;
    esac
}

engine_serve() {
    podman --log-level=fatal system service --time=0 "unix://$ENGINE/podman.sock" > "$ENGINE/service.log" 2>&1 &
    ENGINE_SERVICE=$!
    for _ in $(seq 100); do [ -S "$ENGINE/podman.sock" ] && break; sleep 0.1; done
    # Ryuk, which removes what a test has left behind, is an image that cannot be fetched here; Java and Python ask where ports are.
    export DOCKER_HOST=unix://$ENGINE/podman.sock TESTCONTAINERS_RYUK_DISABLED=true
    export TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1 TESTCONTAINERS_CONNECTION_MODE=docker_host
}

engine_end() {
    local left
    pod rm -f -t 0 --all > /dev/null 2>&1 || true
    pod volume rm -f --all > /dev/null 2>&1 || true
    [ -z "${ENGINE_SERVICE:-}" ] || { kill "$ENGINE_SERVICE" 2> /dev/null; wait "$ENGINE_SERVICE" 2> /dev/null; } || true
    # Those that keep what a request to execute has ended with, for five minutes, and would then make the storage anew.
    for left in $(pgrep -f -- "conmon .*$ENGINE/"); do kill -9 "$left" 2> /dev/null || true; done
    rm -rf "$ENGINE"
}
