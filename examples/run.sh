#!/usr/bin/env bash
# run.sh BINARY: every example on a server of that binary. Those of containers are run where there is an engine, and it is said where
# there is none; IMAGE.docker.tar as the second argument is the image for them, without it `cargo xtask image` makes one of the binary.
set -euo pipefail
TAFFRAIL_BINARY=$(realpath "$1")
export TAFFRAIL_BINARY
image=${2:+$(realpath "$2")}
cd "$(dirname "$0")"
clients=$(../tests/clients/setup.sh examples)
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-examples.XXXXXX")
trap 'rm -rf "$here"' EXIT
ran() { echo "ok $1"; }
skipped() { echo "NOT RUN: $1 ($2)"; }

(cd pytest-sqlalchemy && PYTHONPATH=../../packaging/python "$clients/python/bin/python" -B -m pytest -q \
    -p no:cacheprovider -p taffrail.pytest_plugin)
ran pytest-sqlalchemy
(cd alembic-sqlalchemy && PYTHONPATH=../../packaging/python "$clients/python/bin/python" -B -m pytest -q \
    -p no:cacheprovider -p taffrail.pytest_plugin)
ran alembic-sqlalchemy
(cd django && PYTHONPATH=../../packaging/python "$clients/python/bin/python" -B manage.py test)
ran django
ln -s "$(realpath ../packaging/npm)" "$here/taffrail"
(cd node-tedious && NODE_PATH=$clients/node/node_modules:$here node --test)
ran node-tedious
(cd knex && NODE_PATH=$clients/node/node_modules:$here node --test)
ran knex
(cd typeorm && NODE_PATH=$clients/node/node_modules:$here node --test)
ran typeorm
(cd go-migrate && go test -count=1 ./...)
ran go-migrate
(cd gorm && go test -count=1 ./...)
ran gorm
(cd junit-flyway && mvn -q -B -Dstyle.color=never test)
ran junit-flyway
shop/run.sh "$TAFFRAIL_BINARY" "$clients"
ran shop

if [ -z "$image" ] && (cd .. && cargo xtask image --binary "$TAFFRAIL_BINARY" --out "$here/image" --arch "$(dpkg --print-architecture)") > "$here/out" 2>&1; then
    image=$(echo "$here"/image/*.docker.tar)
fi
if [ -z "$image" ]; then
    skipped testcontainers "$(tail -1 "$here/out")"
else
    code=0
    testcontainers/run.sh "$image" || code=$?
    [ $code = 0 ] || [ $code = 3 ]
fi

# Of Docker where its daemon runs, else of podman behind the same interface.
. ../packaging/tests/engine.sh
compose=
for command in 'docker compose' docker-compose; do $command version > /dev/null 2>&1 && { compose=$command; break; }; done
if [ -z "$compose" ] || [ -z "$image" ]; then
    skipped compose "needs docker-compose, and the image"
elif ! docker info > /dev/null 2>&1 && ! why=$(engine_there); then
    skipped compose "$why"
else
    if docker info > /dev/null 2>&1; then
        load() { docker load -q -i "$1"; }
        ended() { (cd compose && $compose down -v > /dev/null 2>&1) || true; rm -rf "$here"; }
    else
        mkdir "$here/engine"
        engine_begin "$here/engine"
        engine_serve
        load() { pod load -q -i "$1"; }
        # Without systemd podman asks nobody how they are.
        (while sleep 1; do for c in $(pod ps -q); do pod healthcheck run "$c" > /dev/null 2>&1 || true; done; done) &
        asks=$!
        ended() { kill $asks; (cd compose && $compose down -v > /dev/null 2>&1) || true; engine_end; rm -rf "$here"; }
    fi
    trap ended EXIT
    TAFFRAIL_IMAGE=$(load "$image" | sed 's/^Loaded image: //')
    MSSQL_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    export TAFFRAIL_IMAGE MSSQL_PORT MSSQL_SA_PASSWORD=Example-only-1!
    (cd compose && $compose up -d db && $compose run --rm schema) > "$here/out" 2>&1 || { cat "$here/out"; exit 1; }
    grep -qw 2 "$here/out" || { cat "$here/out"; exit 1; }
    ran compose
fi
if kubectl cluster-info > /dev/null 2>&1; then
    kubectl create secret generic taffrail --from-literal=sa-password=Example-only-1! --dry-run=client -o yaml | kubectl apply -f -
    kubectl apply -f kubernetes/taffrail.yaml
    kubectl rollout status statefulset/taffrail --timeout=180s
    kubectl delete -f kubernetes/taffrail.yaml
    ran kubernetes
else
    skipped kubernetes "needs a cluster"
fi
