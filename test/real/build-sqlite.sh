#!/bin/sh
# Stage: test. Debian's SQLite source -> its shell, with nothing changed but the compiler: build-sqlite.sh COMPILER
# PROGRAM [FLAG...]. The amalgamation (two C files) is made once, in build/real/sqlite3; build-sqlite.sh --source makes
# nothing else. If file 3 is open, each part says there which it is, of how many: "2 3 configure".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/sqlite3
mkdir -p "$folder"
part() { { echo "$*" >&3; } 2>/dev/null || true; }
if [ ! -f "$folder/amalgamation/shell.c" ]; then
  sh "$here/need-packages.sh" tcl make clang-19 libc6-dev xz-utils
  part 1 3 'fetch from Debian'
  sh "$here/../../scripts/fetch-debian-source.sh" sqlite3 "$folder"
  rm -rf "$folder/making"
  mkdir "$folder/making"
  amalgamate() {
    cd "$folder/making"
    part 2 3 configure
    CC=clang-19 BUILD_CC=clang-19 ../source/configure --disable-tcl --disable-readline || return 1
    part 3 3 'make sqlite3.c and shell.c'
    make sqlite3.c sqlite3.h shell.c
  }
  (amalgamate) >"$folder/amalgamation.log" 2>&1 || { tail -n 20 "$folder/amalgamation.log" >&2; exit 1; }
  mkdir -p "$folder/amalgamation"
  mv "$folder/making/sqlite3.c" "$folder/making/sqlite3.h" "$folder/amalgamation/"
  mv "$folder/making/shell.c" "$folder/amalgamation/"
  rm -rf "$folder/making"
fi
[ "$1" != --source ] || exit 0
compiler=$1 program=$2
shift 2
cd "$folder/amalgamation"
# seconds_of PART...: says the part every second, with the seconds so far; ends when it is killed, or this script ends.
seconds_of() {
  part "$*"
  seconds=0
  while sleep 1 && kill -0 $$ 2>/dev/null; do part "$*, $((seconds += 1)) s"; done
}
seconds_of 1 2 compiling shell.c &
"$compiler" -O2 "$@" -c shell.c -o "$program-shell.o"
kill $!
seconds_of 2 2 compiling sqlite3.c &
"$compiler" -O2 "$@" "$program-shell.o" sqlite3.c -o "$program" -lpthread -ldl -lm
kill $!
rm "$program-shell.o"
