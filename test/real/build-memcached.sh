#!/bin/sh
# Stage: test. Debian's memcached source -> memcached, with nothing changed but the compiler: build-memcached.sh
# COMPILER FOLDER. The program is FOLDER/memcached; the source is fetched once, into build/real/memcached.
set -eu
compiler=$1
mkdir -p "$2"
work=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/memcached
if [ ! -d "$folder/source" ]; then
  sh "$here/need-packages.sh" libevent-dev make xz-utils
  sh "$here/../../scripts/fetch-debian-source.sh" memcached "$folder"
fi
source=$(cd "$folder/source" && pwd)
cd "$work"
"$source/configure" --disable-dependency-tracking CC="$compiler" >build.log 2>&1 &&
  make -j2 memcached >>build.log 2>&1 ||
  { tail -n 20 build.log >&2; echo "memcached did not build; all of it is in $work/build.log" >&2; exit 1; }
