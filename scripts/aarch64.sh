#!/bin/sh
# build/aarch64: the runtime, the recorder, the engine, the tools, the plugin and dprof-cc for aarch64, compiled here by
# clang-19 and lld-19 with Debian's libraries for arm64. Those are fetched into build/aarch64/sysroot (55 MB, 100 MB
# unpacked), with lists of packages of their own: this machine's package manager never sees them.
# build/aarch64/emulated: a DPROF_BUILD for machines without such a processor, where `dprof record` runs the recorder
# and the program under qemu.
#   --sysroot  only fetches
#   TARGET...  builds these of CMake's targets only: dprof_record and its like
set -eu
cd "$(dirname "$0")/.."
here=$PWD
steps_of=aarch64
. scripts/steps.sh
. scripts/arm64-apt.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$steps_file"' EXIT
sysroot=build/aarch64/sysroot
packages="libc6 libc6-dev linux-libc-dev libgcc-12-dev libgcc-s1 libatomic1 libstdc++6 libstdc++-12-dev liblz4-dev
  libdw1 libdw-dev libelf1 libelf-dev zlib1g zlib1g-dev liblzma5 libbz2-1.0 nlohmann-json3-dev"
llvm="llvm-19-dev" # for its archives alone: dprof-code has LLVM's disassembler in itself

for tool in clang-19 ld.lld-19 llvm-config-19 cmake ninja apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || { step_say "$tool is missing: run 'npm run setup' on a Debian 12"; exit 1; }
done

fetch() {
  mkdir -p "$work/debs"
  (arm64_apt "$work" && cd "$work/debs" && apt-get download -qq $packages $llvm) >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; return 1; }
}

lay() {
  rm -rf "$sysroot"
  mkdir -p "$sysroot"
  for deb in "$work"/debs/*.deb; do
    case $deb in
    */$llvm*) # Debian's own build has the same names
      llvm-config-19 --link-static --libfiles x86desc x86disassembler x86info mc mcdisassembler | tr ' ' '\n' |
        sed 's|^|.|' >"$work/archives"
      dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$sysroot" -T "$work/archives"
      ;;
    *) dpkg-deb -x "$deb" "$sysroot" ;;
    esac
  done
  # Links to a place in the whole file system, from that of the sysroot.
  find "$sysroot" -type l -lname '/*' | while read -r link; do
    ln -sfn "$here/$sysroot$(readlink "$link")" "$link"
  done
  echo "$packages $llvm" >"$sysroot/made"
}

if [ "$(cat "$sysroot/made" 2>/dev/null)" != "$packages $llvm" ]; then
  step "Debian's packages for arm64"
  fetch
  lay
  step_done
fi
[ "${1:-}" != --sysroot ] || exit 0

if [ ! -f build/aarch64/build.ninja ]; then
  step 'configure (cmake)'
  cmake -S . -B build/aarch64 -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/scripts/aarch64.cmake" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    rm -f build/aarch64/CMakeCache.txt
    exit 1
  }
  step_done
fi
step 'build'
cmake --build build/aarch64 ${1:+--target} "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
step_done

# What replays is this machine's own.
emulated=build/aarch64/emulated
rm -rf "$emulated"
mkdir -p "$emulated/bin" "$emulated/lib"
for file in build/bin/* build/lib/*.node build/lib/libdprof_pass-*.so; do
  ln -sf "$here/$file" "$emulated/${file#build/}"
done
for file in build/aarch64/lib/*.a build/aarch64/lib/*.rsp build/aarch64/lib/libdprof_runtime.so; do
  ln -sf "$here/$file" "$emulated/lib"
done
ln -s "$here/build/aarch64/lib/link" "$emulated/lib/link"
ln -s "$here/build/aarch64" "$emulated/aarch64"
rm -f "$emulated/bin/dprof-record"
cp scripts/emulated-record.sh "$emulated/bin/dprof-record"
chmod +x "$emulated/bin/dprof-record"
