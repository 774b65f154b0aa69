#!/usr/bin/env bash
# archive.sh BINARY OUT: the archive for everywhere else: the binary, its pages, the systemd unit.
set -euo pipefail
. "$(dirname "$0")/common.sh"
binary=$1 out=$2
name=taffrail-$(version_of_workspace)-$(machine_of "$binary")-linux
staged
folder=$stage/$name
mkdir -p "$folder/systemd"
install -m 755 "$binary" "$folder/taffrail"
ln -s taffrail "$folder/sqlcmd"
cp "$packaging/deb/taffrail.service" "$packaging/deb/taffrail.toml" "$folder/systemd"
cp "$root/LICENSE" "$folder"
pages "$folder"
settled "$stage"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -n -9 > "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
