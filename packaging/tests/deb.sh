#!/usr/bin/env bash
# deb.sh PACKAGE: installed by dpkg into an empty root, where its binary serves; then, where there are podman, runc and systemd (and
# root), installed into this system as a container over it, whose systemd starts, reloads, kills and stops the service.
set -euo pipefail
package=$(realpath "$1")
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-deb.XXXXXX")
end() {
    [ -z "${ENGINE:-}" ] || engine_end
    rm -rf "$here"
}
trap end EXIT
fail() { echo "FAILED $1"; exit 1; }

[ "$(dpkg-deb -f "$package" Package)" = taffrail ]
root=$here/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
if [ "$(id -u)" = 0 ]; then
    dpkg --root="$root" --force-script-chrootless --force-depends -i "$package" > "$here/dpkg" 2>&1 || { cat "$here/dpkg"; fail dpkg; }
    dpkg --root="$root" -s taffrail | grep -q 'ok installed'
    (cd "$root" && md5sum --quiet -c var/lib/dpkg/info/taffrail.md5sums)
else
    dpkg-deb -x "$package" "$root"
fi
[ -s "$root/usr/share/doc/taffrail/CHANGELOG.md" ] || fail 'CHANGELOG.md is missing'
python3 "$(dirname "$0")/../pages.py" "$root/usr/share/doc/taffrail" --check
TAFFRAIL_DATA=$here/data TAFFRAIL_SA_PASSWORD=Deb-test-1! "$root/usr/bin/taffrail" serve --listen 127.0.0.1:0 --console off \
    --config "$root/etc/taffrail/taffrail.toml" > "$here/out" 2> "$here/err" &
server=$!
for _ in $(seq 300); do grep -q '^taffrail ready' "$here/out" && break; kill -0 "$server" || { cat "$here/err"; fail serve; }; sleep 0.1; done
kill "$server"
wait "$server"
echo 'ok installed into an empty root'
if [ "$(id -u)" = 0 ]; then
    dpkg --root="$root" --force-script-chrootless -P taffrail > "$here/dpkg" 2>&1 || { cat "$here/dpkg"; fail purge; }
    [ ! -e "$root/usr/bin/taffrail" ] && [ ! -e "$root/etc/taffrail/taffrail.toml" ]
    echo 'ok purged'
fi

. "$(dirname "$0")/engine.sh"
command -v systemctl > /dev/null || { echo "NOT RUN: the service (it needs systemd)"; exit 0; }
why=$(engine_there) || { echo "NOT RUN: the service ($why)"; exit 0; }
engine_begin "$here"
in_it() { pod exec service "$@"; }
volatile() { printf -- '--mount type=tmpfs,destination=%s,notmpcopyup ' "$@"; }
# This system's own files below, what is written above them; none of its services but ours.
# shellcheck disable=SC2046
pod run -d --name service --privileged --systemd=always --network none $(volatile /tmp /run /var/log) \
    -v "$package:/mnt/$(basename "$package"):ro" --rootfs /:O /lib/systemd/systemd --unit=basic.target > /dev/null
for _ in $(seq 100); do [ "$(in_it systemctl is-system-running 2>/dev/null)" = running ] && break; sleep 0.2; done
# The guide's commands as they stand. Type=notify: the service is up when the server has said that it serves.
commands=$("$(dirname "$0")/blocks.py" 'sh root' "$(dirname "$0")"/../../docs/guide/*.md)
pod exec -w /mnt service timeout 120 bash -euo pipefail -c "$commands" > "$here/guide" 2>&1 \
    || { cat "$here/guide"; in_it journalctl -u taffrail --no-pager | tail -20; fail "the guide's commands"; }
[ "$(tail -1 "$here/guide")" = "$(in_it cat /var/lib/private/taffrail/sa-password)" ] || fail "the guide's commands show the password"
[ "$(in_it systemctl is-enabled taffrail)" = enabled ] || fail 'the service is enabled'
in_it systemd-analyze verify taffrail.service || fail 'systemd-analyze verify'
in_it systemctl show -p StatusText taffrail | grep -q '^StatusText=taffrail ready: ' || fail StatusText
[ "$(in_it stat -c %U /proc/$(in_it systemctl show -p MainPID --value taffrail))" = taffrail ] || fail 'a user of its own'
query() { in_it sh -c 'SQLCMDPASSWORD=$(cat /var/lib/private/taffrail/sa-password) taffrail sql -S 127.0.0.1 -U sa -C -b -h -1 -W -Q "SET NOCOUNT ON '"$1"'"'; }
query 'CREATE DATABASE kept; CREATE TABLE kept.dbo.t (a int); INSERT kept.dbo.t VALUES (1), (2)'
in_it journalctl -u taffrail --no-pager | grep -qF "$(in_it cat /var/lib/private/taffrail/sa-password)" && fail 'the password is in the journal'
in_it systemctl reload taffrail || fail 'systemctl reload'
in_it systemctl kill -s KILL taffrail
for _ in $(seq 300); do [ "$(query 'SELECT COUNT(*) FROM kept.dbo.t' 2>/dev/null)" = 2 ] && break; sleep 0.1; done
[ "$(query 'SELECT COUNT(*) FROM kept.dbo.t')" = 2 ] || fail 'it comes back after a kill'
in_it systemctl stop taffrail || fail 'systemctl stop'
[ "$(in_it systemctl show -p Result --value taffrail)" = success ] || fail 'it ends in order'
in_it dpkg -r taffrail > "$here/dpkg" 2>&1 || { cat "$here/dpkg"; fail 'dpkg -r'; }
in_it test -s /var/lib/private/taffrail/kept.mdf || fail 'the data stays'
echo 'ok a service of systemd: start, reload, kill, stop, remove'
