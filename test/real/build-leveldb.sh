#!/bin/sh
# Stage: test. Debian's LevelDB source -> db_bench, with nothing changed but the compiler: build-leveldb.sh COMPILER
# PROGRAM [FLAG...].
set -eu
compiler=$1 program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/leveldb
mkdir -p "$folder/objects"
sh "$here/need-packages.sh" libgmock-dev # headers that db_bench includes
sh "$here/../../scripts/fetch-debian-source.sh" leveldb "$folder"
objects=$(mktemp -d "$folder/objects/XXXXXX")
trap 'rm -rf "$objects"' EXIT
cd "$folder/source"
# What CMake would find out: fdatasync and O_CLOEXEC are there; snappy and crc32c are left out.
cat >"$objects/port_config.h" <<'END'
#define HAVE_FDATASYNC 1
#define HAVE_O_CLOEXEC 1
END
mkdir "$objects/port"
mv "$objects/port_config.h" "$objects/port"
sources=$(ls db/*.cc table/*.cc util/*.cc | grep -v -e _test -e windows -e leveldbutil)
for source in $sources helpers/memenv/memenv.cc benchmarks/db_bench.cc; do
  echo "$source"
done | xargs -P 2 -I SOURCE sh -c '"$@" -c SOURCE -o "$0/$(echo SOURCE | tr / _).o"' "$objects" \
  "$compiler" -std=c++11 -O2 -w -pthread -DLEVELDB_PLATFORM_POSIX=1 -DNDEBUG "$@" -I. -Iinclude -I"$objects"
"$compiler" -O2 -pthread "$objects"/*.o -o "$program"
