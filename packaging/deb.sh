#!/usr/bin/env bash
# deb.sh BINARY OUT: the Debian package, with the systemd unit. Needs dpkg-deb.
set -euo pipefail
. "$(dirname "$0")/common.sh"
binary=$1 out=$2
version=$(version_of_workspace)
case $(machine_of "$binary") in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
esac
# The newest glibc that the binary asks for.
glibc=$(grep -aoE 'GLIBC_2\.[0-9]+' "$binary" | sort -uV | tail -1 | sed 's/GLIBC_//')
staged
doc=$stage/usr/share/doc/taffrail
mkdir -p "$stage/DEBIAN" "$stage/usr/bin" "$stage/usr/lib/systemd/system" "$stage/etc/taffrail" "$doc"
install -m 755 "$binary" "$stage/usr/bin/taffrail"
install -m 644 "$packaging/deb/taffrail.service" "$stage/usr/lib/systemd/system/taffrail.service"
install -m 644 "$packaging/deb/taffrail.toml" "$stage/etc/taffrail/taffrail.toml"
pages "$doc"
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    printf 'Upstream-Name: Taffrail\n\nFiles: *\nCopyright: the authors of Taffrail\nLicense: Apache-2.0\n'
    printf ' See /usr/share/common-licenses/Apache-2.0.\n'
} > "$doc/copyright"
echo /etc/taffrail/taffrail.toml > "$stage/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$packaging/deb/$script" "$stage/DEBIAN/$script"; done
cat > "$stage/DEBIAN/control" <<CONTROL
Package: taffrail
Version: $version
Architecture: $arch
Maintainer: Taffrail <taffrail@localhost>
Section: database
Priority: optional
Depends: libc6 (>= ${glibc:-2.34}), libgcc-s1
Recommends: tzdata
Installed-Size: $(du -sk --apparent-size "$stage" | cut -f1)
Description: T-SQL database server in one binary
 SQL Server's own clients, drivers and scripts connect to it unchanged. The
 package has the server, taffrail sql (a sqlcmd) and a systemd unit, which is
 not enabled: systemctl enable --now taffrail
CONTROL
(cd "$stage" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
settled "$stage"
dpkg-deb --root-owner-group -Zxz --build "$stage" "$out/taffrail_${version}_$arch.deb" >/dev/null
echo "$out/taffrail_${version}_$arch.deb"
