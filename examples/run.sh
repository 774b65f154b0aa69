#!/usr/bin/env bash
# run.sh BINARY: every example on a server of that binary. Those of containers are run where there is an engine, and it is said where
# there is none; IMAGE.docker.tar (cargo xtask image) as the second argument is the image for them.
set -euo pipefail
TAFFRAIL_BINARY=$(realpath "$1")
export TAFFRAIL_BINARY
image=${2:+$(realpath "$2")}
cd "$(dirname "$0")"
clients=$(../tests/clients/setup.sh)
here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-examples.XXXXXX")
trap 'rm -rf "$here"' EXIT
ran() { echo "ok $1"; }
skipped() { echo "NOT RUN: $1 ($2)"; }

(cd pytest-sqlalchemy && PYTHONPATH=../../packaging/python "$clients/python/bin/python" -B -m pytest -q \
    -p no:cacheprovider -p taffrail.pytest_plugin)
ran pytest-sqlalchemy
ln -s "$(realpath ../packaging/npm)" "$here/taffrail"
(cd node-tedious && NODE_PATH=$clients/node/node_modules:$here node --test)
ran node-tedious
(cd go-migrate && go test -count=1 ./...)
ran go-migrate
(cd junit-flyway && mvn -q -B -Dstyle.color=never test)
ran junit-flyway

compose=
for command in 'docker compose' 'podman compose' 'docker-compose' 'podman-compose'; do
    $command version > /dev/null 2>&1 && { compose=$command; break; }
done
if [ -z "$compose" ] || [ -z "$image" ]; then
    skipped compose "needs docker or podman with compose, and the image"
else
    engine=${compose%%[ -]*}
    TAFFRAIL_IMAGE=$($engine load -q -i "$image" | sed 's/^Loaded image: //')
    export TAFFRAIL_IMAGE MSSQL_SA_PASSWORD=Example-only-1!
    ended() { (cd compose && $compose down -v > /dev/null 2>&1) || true; rm -rf "$here"; }
    trap ended EXIT
    (cd compose && $compose up -d db && $compose run --rm schema | grep -qw 2)
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
