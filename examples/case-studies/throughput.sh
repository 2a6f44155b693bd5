#!/bin/sh
# Native throughput of the case studies, before and after in turns: of RUNS runs (default 30) the fastest, since other
# work only slows a run down. Builds into OUT (default /tmp/case-studies).
set -eu
cd "$(dirname "$0")"
out=${OUT:-/tmp/case-studies}
runs=${RUNS:-30}
make -s native CC="${CC:-clang-19}" OUT="$out"

fastest() {
  sort -n | tail -1
}

# NAME WHAT ARGUMENTS...: the rate of each version, then how often the second is the first.
compare() {
  study=$1 what=$2
  shift 2
  rm -f "$out/$study"/rates-before "$out/$study"/rates-after
  for run in $(seq "$runs"); do
    for version in before after; do
      "$out/$study/native-$version" "$@" |
        awk -v what="$what" 'index($0, what) { print $1 }' >>"$out/$study/rates-$version"
    done
  done
  before=$(fastest <"$out/$study/rates-before")
  after=$(fastest <"$out/$study/rates-after")
  echo "$study${*:+ $*}: $what: $before before, $after after" |
    awk -v before="$before" -v after="$after" '{ printf "%s, %.2f x\n", $0, after / before }'
}

compare transmit-queue requests
compare accept-queue 'at peak'
compare accept-queue 'at drop-off'
for cores in 1 2; do compare shared-statistics operations "$cores"; done
compare aligned-buffers packets
