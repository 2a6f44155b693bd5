#!/bin/sh
# Debian's Linux source -> a kernel that is an ordinary process, compiled by dprof-cc -> its boot, a workload and its
# shutdown, recorded -> the report: run.sh [udp|http|queue|queue-limited|pair|panic|dormant|plain].
# docs/linux-kernel.md says what is done and why. All that it makes is in build/linux-kernel.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${DPROF_LINUX_BUILD:-$root/build/linux-kernel}
version=${DPROF_LINUX:-6.1}
workload=${1:-udp}
# guest: what init is asked to do. backlog: how many requests wait in the server's queue.
guest=udp memory=64M count=1000 backlog=
case $workload in
panic) guest=panic ;;
http) guest=web memory=256M backlog=1 ;;
queue) guest=web memory=256M count=1024 backlog=512 ;;
queue-limited) guest=web memory=256M count=1024 backlog=16 ;;
esac
count=${DPROF_LINUX_COUNT:-$count}
[ "${workload#queue}" = "$workload" ] || backlog=${DPROF_LINUX_BACKLOG:-$backlog}
dprof=$root/bin/dprof

fail() { # fail STATUS MESSAGE HINT
  printf 'run.sh: %s\nhint: %s\n' "$2" "$3" >&2
  exit "$1"
}

case $workload in
udp | http | queue | queue-limited | pair | panic | dormant) kernel=recorded compiler=$root/bin/dprof-cc ;;
plain) kernel=plain compiler=clang-19 ;;
*) fail 2 "no workload $workload" \
  'udp, http, queue, queue-limited, pair, panic, dormant (not recorded) or plain (not instrumented)' ;;
esac
[ "$version" = 6.1 ] || fail 2 "Linux $version is not known here" 'unset DPROF_LINUX: all here is for 6.1'
case $count in
'' | *[!0-9]*) fail 2 "DPROF_LINUX_COUNT=$count is not a number" 'the number of datagrams or requests, such as 1000' ;;
esac
case $backlog in
*[!0-9]* | 0* | ?????*) right= ;;
*) [ "${backlog:-1}" -le 4096 ] && right=1 || right= ;; # net.core.somaxconn
esac
[ "$right" ] ||
  fail 2 "DPROF_LINUX_BACKLOG=$backlog is not a number from 1 to 4096" 'how many requests wait at a time, such as 512'

mkdir -p "$out"
cd "$out"
sh "$root/scripts/install-debian.sh" clang-19 lld-19 llvm-19 make flex bison bc libc6-dev "linux-source-$version"
sh "$here/check-host.sh"

# -- the source
source=linux-source-$version
changes=$(cat "$here/changes.sh" "$here/mark.c" "$root/runtime/include/dprof.h" | sha256sum)
if [ "$(cat "$source/.changes" 2>/dev/null)" != "$changes" ]; then
  rm -rf "$source" "$source.new"
  mkdir "$source.new"
  echo "run.sh: unpacking $source" >&2
  tar xf "/usr/src/$source.tar.xz" -C "$source.new" --strip-components 1
  sh "$here/changes.sh" "$source.new"
  echo "$changes" >"$source.new/.changes"
  mv "$source.new" "$source"
fi
grep -q "^PATCHLEVEL = ${version#*.}\$" "$source/Makefile" ||
  fail 1 "$out/$source is another version of Linux" "remove it"

# -- the kernel, again if anything that compiles it changed
export DPROF_KERNEL_CC="$compiler" DPROF_LLVM=19 DPROF_LOCALS=1 DPROF_ALLOCATORS="$here/kernel.yaml"
export KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_USER=dprof KBUILD_BUILD_HOST=dprof KBUILD_BUILD_VERSION=1
kernel_make() {
  nice make -C "$source" -j"$(nproc)" O="$out/$kernel" ARCH=um LLVM=-19 CC="$here/kernel-cc" HOSTCC=clang-19 "$@"
}
logged() { # logged LOG COMMAND...
  log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail 1 'the kernel did not build' "all of it is in $out/$log"; }
}
made_by() {
  echo "$changes" "$DPROF_LOCALS"
  cat "$here/config" "$here/kernel-cc"
  [ "$kernel" = plain ] || cat "$here/kernel.yaml" "$root/build/lib/libdprof_pass-19.so" "$compiler"
}
stamp=$(made_by | sha256sum)
if [ "$(cat "$kernel.made-by" 2>/dev/null)" != "$stamp" ]; then
  rm -rf "$kernel"
  mkdir "$kernel"
  logged "$kernel.config.log" kernel_make KCONFIG_ALLCONFIG="$here/config" allnoconfig
  grep '^CONFIG' "$here/config" | while read -r line; do
    grep -qx "$line" "$kernel/.config" || fail 1 "the kernel can not have $line" "see $out/$kernel/.config"
  done
  echo "$stamp" >"$kernel.made-by"
fi
[ -x "$kernel/vmlinux" ] || echo "run.sh: compiling the kernel ($kernel), some minutes" >&2
logged "$kernel.build.log" kernel_make vmlinux

# -- the guest's only file
clang-19 -O2 -static "$here/guest.c" "$here/web.c" "$here/pair.c" -o init
"$kernel/usr/gen_init_cpio" -t 0 "$here/initramfs.list" >initramfs
[ "$workload" != pair ] || exec sh "$here/pair.sh" "$kernel" "$count"

# -- boot. Time is simulated: while the guest computes none passes, and while it waits it is skipped, so that no timer
# interrupts at a moment that the host chooses.
boot() {
  "$@" "./$kernel/vmlinux" "mem=$memory" initrd=initramfs root=98:0 console=tty0 con0=null,fd:1 con=null norandmaps \
    time-travel=inf-cpu time-travel-start=1000000000 -- "$guest" "$count" $backlog </dev/null >"$workload.log" 2>&1
}
rm -f "$workload.dptrace"
status=0
began=$(date +%s%3N)
case $workload in
dormant | plain) boot setarch -R || status=$? ;;
*) boot "$dprof" record --quiet -o "$workload.dptrace" -- || status=$? ;;
esac
took=$(($(date +%s%3N) - began))
sh "$here/explain-end.sh" "$out/$workload.log" "$status" "$count" || status=$?
window= # of a workload that was done: without the boot, and without the first burst
[ "$status" != 0 ] || window='--from mark:begin --to mark:end'
[ ! -e "$workload.dptrace" ] || "$dprof" report "$workload.dptrace" --top 10 $window
echo "run.sh: $workload took $took ms" >&2
exit "$status"
