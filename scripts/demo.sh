#!/bin/sh
# Records SQLite's shell and one threaded example, and shows the views. scripts/setup.sh --demo has built the shell
# (scripts/build-demo.sh).
set -eu
cd "$(dirname "$0")/.."
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

began=$(date +%s%3N)
say() { printf '\n\033[1m== %s\033[0m\n' "$1"; }
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

sqlite=$PWD/build/real/sqlite3/sqlite3-dprof
say "SQLite: inserts, look-ups, joins and sorts over 20,000 rows"
node --input-type=module -e "
  import { sqliteWorkload } from './dist/test/real/sqlite-workload.js';
  import { writeFileSync } from 'node:fs';
  writeFileSync(process.argv[1], sqliteWorkload(20_000));
" "$traces/workload.sql"
show bin/dprof record -o "$traces/sqlite.dptrace" -- \
  "$sqlite" :memory: ".read $traces/workload.sql" >"$traces/sqlite.out"
tail -n 3 "$traces/sqlite.out"
show bin/dprof replay "$traces/sqlite.dptrace" -o "$traces/sqlite.dprofile"
show bin/dprof report "$traces/sqlite.dprofile" --view data-profile
show bin/dprof report "$traces/sqlite.dprofile" --view miss-classification --top 6

say "Two threads and one line: examples/false-sharing"
show bin/dprof-cc -O2 -pthread examples/false-sharing/false-sharing.c -o "$traces/false-sharing"
show bin/dprof record -o "$traces/false-sharing.dptrace" -- "$traces/false-sharing"
show bin/dprof report "$traces/false-sharing.dptrace" --view data-profile
show bin/dprof report "$traces/false-sharing.dptrace" --view sharing

took=$(($(date +%s%3N) - began))
printf '\ndemo: recorded and shown in %d.%d s\n' $((took / 1000)) $((took % 1000 / 100))
