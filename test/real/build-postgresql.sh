#!/bin/sh
# Stage: test. Debian's PostgreSQL source -> a server and its regression tests by its own rules, with nothing changed
# but the compiler: build-postgresql.sh COMPILER FOLDER. It is installed in FOLDER/installed; the source is fetched
# once, into build/real/postgresql-15.
set -eu
compiler=$1
here=$(cd "$(dirname "$0")" && pwd)
home=$here/../../build/real/postgresql-15
sh "$here/need-packages.sh" make bzip2
sh "$here/../../scripts/fetch-debian-source.sh" postgresql-15 "$home"
rm -rf "$2"
mkdir -p "$2"
source=$(cd "$home/source" && pwd)
cd "$2"
build() {
  "$source/configure" --without-readline --without-zlib --prefix="$PWD/installed" CC="$compiler" &&
    make -j2 && make install && make -j2 -C src/test/regress
}
build >build.log 2>&1 ||
  { tail -n 20 build.log >&2; echo "PostgreSQL did not build; all of it is in $2/build.log" >&2; exit 1; }
