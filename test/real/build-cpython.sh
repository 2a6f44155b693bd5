#!/bin/sh
# Stage: test. Debian's CPython source -> python by its own rules, with nothing changed but the compiler:
# build-cpython.sh COMPILER FOLDER. The program is FOLDER/python; the source is fetched once, into
# build/real/python3.11.
set -eu
compiler=$1
here=$(cd "$(dirname "$0")" && pwd)
home=$here/../../build/real/python3.11
sh "$here/need-packages.sh" make pkg-config xz-utils
sh "$here/../../scripts/fetch-debian-source.sh" python3.11 "$home"
rm -rf "$2"
mkdir -p "$2"
source=$(cd "$home/source" && pwd)
cd "$2"
build() { "$source/configure" CC="$compiler" && make -j2; }
build >build.log 2>&1 ||
  { tail -n 20 build.log >&2; echo "CPython did not build; all of it is in $2/build.log" >&2; exit 1; }
