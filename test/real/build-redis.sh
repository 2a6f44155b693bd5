#!/bin/sh
# Stage: test. Debian's Redis source -> redis-server, with glibc's malloc and with nothing changed but the compiler:
# build-redis.sh COMPILER PROGRAM [FLAG...]. Its hashes have one seed, so that two runs are alike.
set -eu
compiler=$1 program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/redis
sh "$here/need-packages.sh" make
sh "$here/../../scripts/fetch-debian-source.sh" redis "$folder"
work=$(mktemp -d "$folder/making-XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$folder/source/." "$work"
sed -i 's#"/dev/urandom"#"/dev/zero"#' "$work/src/util.c"
make -C "$work/src" -j2 redis-server CC="$compiler" MALLOC=libc OPTIMIZATION=-O2 CFLAGS="$*" \
  >"$folder/build.log" 2>&1 ||
  { tail -n 20 "$folder/build.log" >&2; echo "Redis did not build; all of it is in $folder/build.log" >&2; exit 1; }
cp "$work/src/redis-server" "$program"
