#!/bin/sh
# How a boot ended: explain-end.sh LOG STATUS COUNT. Nothing is said of one that ended as it should.
set -eu
log=$1 status=$2 count=$3
say() {
  printf 'run.sh: %s\nhint: %s\n' "$1" "$2" >&2
  exit "${3:-1}"
}
panic=$(sed -n 's/.*Kernel panic - not syncing: //p' "$log" | head -n 1)
[ -z "$panic" ] ||
  say "the kernel panicked: $panic" "what it logged is in $log; the trace has all up to there" "$status"
refused=$(grep -i -m 1 'ptrace.*\(failed\|refused\|not permitted\)' "$log" || true)
[ -z "$refused" ] || say "the kernel could not trace its guest: $refused" \
  'allow ptrace: no seccomp filter against it, and kernel.yama.ptrace_scope below 3'
[ "$status" = 0 ] ||
  say "the kernel ended with status $status: $(tail -n 1 "$log")" "what it logged is in $log" "$status"
grep -q "guest: $count of $count " "$log" ||
  say "the guest did not do its work: $(grep -m 1 'guest: ' "$log" || tail -n 1 "$log")" "what it logged is in $log"
