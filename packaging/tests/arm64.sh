#!/usr/bin/env bash
# arm64.sh BINARY NATIVE: the aarch64 binary on Debian's arm64 kernel in qemu-system-aarch64: start, the workloads after the articles, a
# kill of the whole machine, a restart, an order to stop; then NATIVE, a binary of this machine, recovers what another kill has left.
# qemu keeps x86's memory order: what only a weaker one shows stays unseen. Needs qemu-system-aarch64, cpio, mkfs.ext4, debugfs and
# Debian's packages for arm64, and installs what is missing (root); exit code 3: it cannot.
set -euo pipefail
binary=$(realpath "$1")
native=$(realpath "$2")
cd "$(dirname "$0")/../.."
programs=(qemu-system-aarch64:qemu-system-arm cpio:cpio mkfs.ext4:e2fsprogs debugfs:e2fsprogs dpkg-deb:dpkg)
missing=()
for p in "${programs[@]}"; do command -v "${p%:*}" > /dev/null || missing+=("${p#*:}"); done
if [ ${#missing[@]} != 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" ipxe-qemu; } > /dev/null 2>&1 || true
fi
for p in "${programs[@]}"; do command -v "${p%:*}" > /dev/null || { echo "NOT RUN: the arm64 machine (no ${p%:*}: Debian's ${p#*:})"; exit 3; }; done

here=$(mktemp -d "${TMPDIR:-/tmp}/taffrail-arm64.XXXXXX")
machine=
server=
trap 'for p in $machine $server; do kill -9 "$p" 2>/dev/null || true; done; wait; rm -rf "$here"' EXIT
fail() { echo "FAILED arm64: $1"; tail -20 "$here/serial" 2> /dev/null; exit 1; }
seconds() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f s", b - a }'; }

# --- The machine: a kernel, busybox, libc; kept outside the checkout.
kept=${XDG_CACHE_HOME:-$HOME/.cache}/taffrail/arm64
if [ ! -e "$kept/complete" ]; then
    rm -rf "$kept"
    mkdir -p "$kept"/{state/lists/partial,cache/archives/partial,debs,root}
    arm() {
        local command=$1
        shift
        "apt-$command" -o Dir::State="$kept/state" -o Dir::State::status=/dev/null -o Dir::Cache="$kept/cache" -o APT::Architecture=arm64 \
            -o APT::Architectures=arm64 -o APT::Sandbox::User=root "$@"
    }
    arm get update -qq > "$here/apt" 2>&1 || true
    kernel=$(arm cache depends linux-image-cloud-arm64 2> /dev/null | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -1)
    (cd "$kept/debs" && arm get download -qq "$kernel" busybox-static libc6 libgcc-s1) >> "$here/apt" 2>&1 \
        || { tail -3 "$here/apt"; echo "NOT RUN: the arm64 machine (its packages cannot be had)"; exit 3; }
    for deb in "$kept"/debs/*.deb; do dpkg-deb -x "$deb" "$kept/root"; done
    rm -rf "$kept/state" "$kept/cache" "$kept/debs"
    touch "$kept/complete"
fi
root=$kept/root
files=$here/files
mkdir -p "$files"/{bin,lib/aarch64-linux-gnu,modules,proc,sys,dev,tmp,data,etc}
cp "$root"/bin/busybox "$files/bin/" 2> /dev/null || cp "$root"/usr/bin/busybox "$files/bin/"
cp "$root"/lib/ld-linux-aarch64.so.1 "$files/lib/" 2> /dev/null || cp "$root"/usr/lib/ld-linux-aarch64.so.1 "$files/lib/"
for library in libc.so.6 libm.so.6 libgcc_s.so.1; do
    cp "$(find "$root" -name $library -print -quit)" "$files/lib/aarch64-linux-gnu/"
done
cp "$binary" "$files/bin/taffrail"
# In order: each needs those before it. ext4 is in the kernel.
modules=(virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci failover net_failover virtio_net virtio_blk)
for module in "${modules[@]}"; do cp "$(find "$root/lib/modules" -name "$module.ko" -print -quit)" "$files/modules/"; done
cat > "$files/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin TAFFRAIL_SA_PASSWORD=Arm64-test-1!
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
for m in ${modules[*]}; do insmod /modules/\$m.ko || echo "no \$m"; done
ip link set lo up; ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up; ip route add default via 10.0.2.2
for n in \$(seq 50); do [ -b /dev/vda ] && break; sleep 0.1; done
mount -t ext4 /dev/vda /data || poweroff -f
echo "machine: \$(uname -m), Linux \$(uname -r)"
taffrail serve --data /data/db --listen 0.0.0.0:1433 --console off --max-server-memory-mb 700
echo "ended: \$?"
umount /data
poweroff -f
INIT
chmod 755 "$files/init"
(cd "$files" && find . -print0 | cpio --null --quiet -o -H newc | gzip -1 > "$here/initramfs")
truncate -s 4G "$here/disk"
mkfs.ext4 -q -F -b 4096 "$here/disk"

free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
boot() {
    port=$(free)
    : > "$here/serial"
    qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -accel tcg,thread=multi -smp 2 -m 2048 -nographic -nodefaults -no-reboot -serial "file:$here/serial" \
        -kernel "$(find "$root/boot" -name 'vmlinuz-*' -print -quit)" -initrd "$here/initramfs" -append 'console=ttyAMA0 quiet panic=-1' \
        -netdev "user,id=n,restrict=on,hostfwd=tcp:127.0.0.1:$port-:1433" -device virtio-net-pci,netdev=n,romfile= \
        -drive "file=$here/disk,format=raw,if=none,id=d" \
        -device "virtio-blk-pci,drive=d,logical_block_size=$SECTOR,physical_block_size=4096" 2> "$here/qemu" &
    machine=$!
    for _ in $(seq 1800); do
        grep -q '^taffrail ready' "$here/serial" && break
        kill -0 "$machine" 2> /dev/null || { cat "$here/qemu"; fail boot; }
        sleep 0.1
    done
    grep -q '^taffrail ready' "$here/serial" || fail 'it does not get ready'
    export SQLCMDSERVER=127.0.0.1,$port SQLCMDUSER=sa SQLCMDPASSWORD=Arm64-test-1!
}
off() { kill -9 "$machine"; wait "$machine" 2> /dev/null || true; machine=; } 2> /dev/null
sql() { "$native" sql -C -b -l 60 "$@"; }
query() { sql -h -1 -W -Q "SET NOCOUNT ON $1"; }
sums() { query 'SELECT COUNT(*), CHECKSUM_AGG(CHECKSUM(a, b)) FROM kept.dbo.t'; }
# The disk's sectors are as this machine's: files whose log was written in larger ones are refused on smaller ones, and the other way round.
SECTOR=$(cat "/sys/dev/block/$(stat -c '%Hd:%Ld' "$here")/queue/logical_block_size" 2> /dev/null || echo 512)

began=$(date +%s.%N)
boot
echo "ok arm64: $(sed -n 's/^machine: //p' "$here/serial" | tr -d '\r'): ready after $(seconds "$began")"
query 'SELECT @@VERSION' | grep -q aarch64 || fail '@@VERSION'
for script in 'while-loop rows=2000' 'delayed-durability' 'many-vlfs mb=20' 'customer rows=2000' 'log-growth rounds=3 init=sql2022' 'checkpoints rows=800' 'wait-statistics'; do
    read -r name variables <<< "$script"
    began=$(date +%s.%N)
    # shellcheck disable=SC2086
    sql ${variables:+-v $variables} -i "crates/lab/workloads/$name.sql" > "$here/out" 2>&1 || { tail -5 "$here/out"; fail "$name"; }
    echo "ok arm64: $name ${variables}: $(seconds "$began")"
done
query "CREATE DATABASE kept; ALTER DATABASE kept SET RECOVERY FULL"
query "CREATE TABLE kept.dbo.t (a int IDENTITY PRIMARY KEY, b char(200) NOT NULL)
       INSERT kept.dbo.t SELECT TOP (20000) CONVERT(varchar(36), NEWID()) FROM sys.all_columns x, sys.all_columns y"
query "BACKUP DATABASE kept TO DISK = 'kept.bak' WITH CHECKSUM; UPDATE kept.dbo.t SET b = REVERSE(b) WHERE a % 2 = 0" > "$here/out"
rows=$(sums)
off
began=$(date +%s.%N)
boot
[ "$(sums)" = "$rows" ] || fail 'rows after a kill of the machine'
query "DBCC CHECKDB (kept) WITH NO_INFOMSGS; DBCC LOGINFO (kept)" > "$here/out"
echo "ok arm64: a kill of the machine loses nothing; ready again after $(seconds "$began")"
query 'SHUTDOWN' > "$here/out" 2>&1 || true
for _ in $(seq 600); do kill -0 "$machine" 2> /dev/null || break; sleep 0.1; done
grep -q '^ended: 0' "$here/serial" || fail 'SHUTDOWN'
wait "$machine" || true
boot
query "DELETE kept.dbo.t WHERE a % 5 = 0"
rows=$(sums)
off
echo 'ok arm64: SHUTDOWN, a start after it'

# --- The same files here.
e2fsck -fy "$here/disk" > "$here/out" 2>&1 || true
mkdir "$here/here"
debugfs -R "rdump /db $here/here" "$here/disk" > "$here/out" 2>&1
TAFFRAIL_SA_PASSWORD=Arm64-test-1! "$native" serve --data "$here/here/db" --listen 127.0.0.1:0 --admin-listen off --console off > "$here/serial" 2>&1 &
server=$!
for _ in $(seq 600); do grep -q '^taffrail ready' "$here/serial" && break; kill -0 "$server" || fail 'it opens'; sleep 0.1; done
SQLCMDSERVER=127.0.0.1,$(sed -n 's/^taffrail ready: tds=127.0.0.1:\([0-9]*\) .*/\1/p' "$here/serial")
[ "$(sums)" = "$rows" ] || fail "the binary of $(uname -m) reads other rows"
query "DBCC CHECKDB (kept) WITH NO_INFOMSGS; DBCC CHECKDB (WhileLoop) WITH NO_INFOMSGS; RESTORE VERIFYONLY FROM DISK = 'kept.bak' WITH CHECKSUM" > "$here/out"
kill "$server"
wait "$server" || fail 'it ends in order'
server=
echo "ok arm64: the files of a killed machine, recovered by the binary of $(uname -m): $rows"
