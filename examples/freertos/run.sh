#!/bin/sh
# FreeRTOS's source from crates.io -> its port to POSIX threads, compiled by dprof-cc -> tasks that send messages,
# recorded -> the report: run.sh [messages|ticks|dormant|plain]. docs/other-systems.md says what is done and why.
# All that it makes is in build/freertos.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${DPROF_FREERTOS_BUILD:-$root/build/freertos}
count=${DPROF_FREERTOS_COUNT:-1000}
workload=${1:-messages}
dprof=$root/bin/dprof
crate=0.12.0 version=V11.2.0

fail() { # fail STATUS MESSAGE HINT
  printf 'run.sh: %s\nhint: %s\n' "$2" "$3" >&2
  exit "$1"
}

case $workload in
messages | ticks | dormant) program=recorded compiler=$root/bin/dprof-cc ;;
plain) program=plain compiler=clang-19 ;;
*) fail 2 "no workload $workload" 'messages, ticks, dormant (not recorded) or plain (not instrumented)' ;;
esac
case $count in
'' | *[!0-9]*) fail 2 "DPROF_FREERTOS_COUNT=$count is not a number" 'readings of each of four tasks, such as 1000' ;;
esac
command -v cargo >/dev/null || fail 1 'cargo is missing' 'it fetches the source; install Rust'

mkdir -p "$out"
cd "$out"
sh "$root/scripts/install-debian.sh" clang-19 llvm-19 libc6-dev

# -- the source: the crate freertos-next has all of it
changes=$(sha256sum <"$here/changes.sh")
if [ "$(cat kernel/.changes 2>/dev/null)" != "$changes" ]; then
  rm -rf kernel crate
  mkdir -p crate/src
  touch crate/src/lib.rs
  printf '[package]\nname = "source"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n' >crate/Cargo.toml
  printf '[dependencies]\nfreertos-next = { version = "=%s", default-features = false }\n' "$crate" >>crate/Cargo.toml
  (cd crate && cargo vendor) >fetch.log 2>&1 ||
    { tail -n 5 fetch.log >&2; fail 1 "cargo did not fetch freertos-next $crate" "all of it is in $out/fetch.log"; }
  cp -r crate/vendor/freertos-next/FreeRTOS-Kernel kernel
  grep -q "tskKERNEL_VERSION_NUMBER *\"$version\"" kernel/include/task.h ||
    fail 1 "$out/kernel is not FreeRTOS $version" "see what freertos-next $crate carries"
  sh "$here/changes.sh" kernel/portable/ThirdParty/GCC/Posix
  echo "$changes" >kernel/.changes
fi

# -- the program
port=kernel/portable/ThirdParty/GCC/Posix
compile() {
  "$compiler" -O2 -g -pthread -Wall "-I$here" -Ikernel/include "-I$port" \
    kernel/tasks.c kernel/queue.c kernel/list.c kernel/timers.c kernel/event_groups.c kernel/stream_buffer.c \
    kernel/portable/MemMang/heap_4.c "$port/port.c" "$port/utils/wait_for_event.c" "$here/main.c" -o "$program"
}
export DPROF_LLVM=19 DPROF_LOCALS=1 DPROF_ALLOCATORS="$here/freertos.yaml"
compile >"$program.build.log" 2>&1 ||
  { tail -n 20 "$program.build.log" >&2; fail 1 'FreeRTOS did not build' "all of it is in $out/$program.build.log"; }

# -- the run
status=0
began=$(date +%s%3N)
case $workload in
messages | ticks)
  "$dprof" record --quiet -o "$workload.dptrace" -- "./$program" "$workload" "$count" >"$workload.log" || status=$?
  ;;
*) "./$program" messages "$count" >"$workload.log" || status=$? ;;
esac
took=$(($(date +%s%3N) - began))
cat "$workload.log"
[ "$status" = 0 ] || fail "$status" "the tasks ended with status $status" "what they said is in $out/$workload.log"

# A scheduler of one processor, and the cache of a small microcontroller: 4 KiB in four ways, lines of 32 bytes.
[ ! -e "$workload.dptrace" ] || "$dprof" report "$workload.dptrace" --cores 1 --l1 4K/4 --line 32 --level l1 --top 10
echo "run.sh: $workload took $took ms" >&2
