#!/bin/sh
# Stage: test. Debian's jq source -> jq by its own rules, with nothing changed but the compiler: build-jq.sh COMPILER
# FOLDER. The program is FOLDER/jq; the source is fetched once, into build/real/jq.
set -eu
compiler=$1
here=$(cd "$(dirname "$0")" && pwd)
home=$here/../../build/real/jq
sh "$here/need-packages.sh" autoconf automake libtool libonig-dev make
sh "$here/../../scripts/fetch-debian-source.sh" jq "$home"
rm -rf "$2"
cp -r "$home/source" "$2"
cd "$2"
# One file, so that all of it is this program; its manual, valgrind and failing files are for those who change jq.
build() {
  autoreconf -fi &&
    ./configure --disable-shared --disable-maintainer-mode --disable-docs --disable-valgrind \
      --disable-error-injection CC="$compiler" &&
    make -j2
}
build >build.log 2>&1 ||
  { tail -n 20 build.log >&2; echo "jq did not build; all of it is in $2/build.log" >&2; exit 1; }
