#!/bin/sh
# build/aarch64/emulated/bin/dprof-record: the recorder for aarch64, and the program behind --, both under qemu.
set -eu
aarch64=$(cd "$(dirname "$0")/../.." && pwd)
left=$# found=
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  set -- "$@" "$word"
  left=$((left - 1))
  [ "$word" = -- ] && [ -z "$found" ] || continue
  found=1
  set -- "$@" qemu-aarch64-static -L "$aarch64/sysroot"
done
exec qemu-aarch64-static -L "$aarch64/sysroot" "$aarch64/bin/dprof-record" "$@"
