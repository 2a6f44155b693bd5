#!/bin/sh
# SQLite's shell for scripts/demo.sh, built with dprof-cc: build-demo.sh source fetches Debian's source and makes two C
# files of it; build-demo.sh program compiles them, unless that was done with the same compiler. Both keep what they
# make, in build/real.
set -eu
cd "$(dirname "$0")/.."
steps_of=demo
. scripts/steps.sh
steps_live=false # the native build shows its line at the same time
trap 'rm -f "$steps_file"' EXIT
# The script's parts, as it says them: "2 3 configure".
build() {
  rm -f "$steps_file.failed"
  { sh test/real/build-sqlite.sh "$@" 3>&1 >&2 || touch "$steps_file.failed"; } |
    while read -r done all what; do step_at "$done" "$all" "$what"; done
  [ ! -e "$steps_file.failed" ] || { rm "$steps_file.failed"; exit 1; }
}
program=$PWD/build/real/sqlite3/sqlite3-dprof
case $1 in
source)
  [ ! -f build/real/sqlite3/amalgamation/sqlite3.c ] || exit 0
  step "SQLite's source: fetch, and make one file of it"
  build --source
  ;;
program)
  [ ! "$program" -nt build/bin/dprof-cc ] || exit 0
  step "SQLite's shell: compile 250,000 lines with dprof-cc -O2 -g"
  build "$PWD/bin/dprof-cc" "$program" -g
  ;;
esac
step_done
