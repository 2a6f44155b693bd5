#!/bin/sh
# Builds SQLite's shell and one threaded example with dprof-cc, records both, and shows the views. The first time takes a few minutes: SQLite's
# source is fetched and compiled; later runs reuse it (build/real).
set -eu
cd "$(dirname "$0")/.."
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

say() { printf '\n\033[1m== %s\033[0m\n' "$1"; }
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

sqlite=$PWD/build/real/sqlite3/sqlite3-dprof
if [ ! -x "$sqlite" ] || [ -n "$(find bin/dprof-cc build/lib -newer "$sqlite" | head -n 1)" ]; then
  say "Building SQLite's shell with dprof-cc (once; about a minute)"
  mkdir -p build/real/sqlite3
  sh test/real/build-sqlite.sh "$PWD/bin/dprof-cc" "$sqlite" -g
fi

say "SQLite: inserts, look-ups, joins and sorts over 20,000 rows"
node --input-type=module -e "
  import { sqliteWorkload } from './dist/test/real/sqlite-workload.js';
  import { writeFileSync } from 'node:fs';
  writeFileSync(process.argv[1], sqliteWorkload(20_000));
" "$traces/workload.sql"
show bin/dprof record -o "$traces/sqlite.dptrace" -- "$sqlite" :memory: ".read $traces/workload.sql" >"$traces/sqlite.out"
tail -n 3 "$traces/sqlite.out"
show bin/dprof replay "$traces/sqlite.dptrace" -o "$traces/sqlite.dprofile"
show bin/dprof report "$traces/sqlite.dprofile" --view data-profile
show bin/dprof report "$traces/sqlite.dprofile" --view miss-classification --top 6

say "Two threads and one line: examples/false-sharing"
show bin/dprof-cc -O2 -pthread examples/false-sharing/false-sharing.c -o "$traces/false-sharing"
show bin/dprof record -o "$traces/false-sharing.dptrace" -- "$traces/false-sharing"
show bin/dprof report "$traces/false-sharing.dptrace" --view data-profile
show bin/dprof report "$traces/false-sharing.dptrace" --view sharing
