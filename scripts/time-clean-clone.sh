#!/bin/sh
# Clones what is committed into an empty folder, and says how long the commands take there: time-clean-clone.sh
# [FOLDER]. Each prints its steps.
# What the machine has installed is not installed again: for a fresh machine, run it on one.
set -eu
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # nothing native is taken from a cache
here=$(cd "$(dirname "$0")/.." && pwd)
clone=${1:-$(mktemp -d)/dprof}
git clone -q "$here" "$clone"
cd "$clone"
times=
for command in demo check test; do
  began=$(date +%s)
  if CI=true npm run "$command" >"$clone.$command.log" 2>&1; then result=passed; else result=FAILED; fi
  times="$times$(printf '%-16s %5d s  %s' "npm run $command" $(($(date +%s) - began)) "$result")
"
  grep -A 20 'how long each step took' "$clone.$command.log" | sed "s/^/$command: /" || true
done
printf '%s cores: %s\n%s' "$(uname -m)" "$(nproc)" "$times" | sed '1s/^/processor: /'
echo "logs: $clone.demo.log, $clone.check.log, $clone.test.log"
