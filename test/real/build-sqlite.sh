#!/bin/sh
# Stage: test. Debian's SQLite source -> its shell, with nothing changed but the compiler: build-sqlite.sh COMPILER PROGRAM [FLAG...].
# The amalgamation (two C files) is made once, in build/real/sqlite3; build-sqlite.sh --source makes nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$here/../../build/real/sqlite3
mkdir -p "$folder"
if [ ! -f "$folder/amalgamation/shell.c" ]; then
  sh "$here/need-packages.sh" tcl make clang-19 libc6-dev xz-utils
  sh "$here/fetch-debian-source.sh" sqlite3 "$folder"
  rm -rf "$folder/making"
  mkdir "$folder/making"
  (cd "$folder/making" && CC=clang-19 BUILD_CC=clang-19 ../source/configure --disable-tcl --disable-readline && make sqlite3.c sqlite3.h shell.c) >"$folder/amalgamation.log" 2>&1 ||
    { tail -n 20 "$folder/amalgamation.log" >&2; exit 1; }
  mkdir -p "$folder/amalgamation"
  mv "$folder/making/sqlite3.c" "$folder/making/sqlite3.h" "$folder/amalgamation/"
  mv "$folder/making/shell.c" "$folder/amalgamation/"
  rm -rf "$folder/making"
fi
[ "$1" != --source ] || exit 0
compiler=$1 program=$2
shift 2
cd "$folder/amalgamation"
"$compiler" -O2 "$@" shell.c sqlite3.c -o "$program" -lpthread -ldl -lm
