#!/usr/bin/env bash
# npm.sh BINARY OUT: the npm package, of packaging/npm and the binary. Needs npm, and no network.
set -euo pipefail
. "$(dirname "$0")/common.sh"
binary=$1 out=$(cd "$2" && pwd)
staged
case $(machine_of "$binary") in
    x86_64) cpu=x64 ;;
    aarch64) cpu=arm64 ;;
esac
mkdir "$stage/bin"
cp "$packaging"/npm/{index.js,index.d.ts,README.md} "$root/LICENSE" "$stage"
install -m 755 "$binary" "$stage/bin/taffrail"
sed -e "s/\"version\": \"0.0.0\"/\"version\": \"$(version_of_workspace)\"/" -e "s/\"x64\"/\"$cpu\"/" \
    "$packaging/npm/package.json" > "$stage/package.json"
settled "$stage"
name=$(cd "$stage" && npm pack --silent --offline --pack-destination "$stage")
# The processor is not in npm's name of it.
mv "$stage/$name" "$out/${name%.tgz}-linux-$cpu.tgz"
echo "$out/${name%.tgz}-linux-$cpu.tgz"
