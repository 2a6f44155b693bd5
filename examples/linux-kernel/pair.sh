#!/bin/sh
# Two kernels on one link, a server and its client, each recorded: pair.sh KERNEL COUNT, in the folder of run.sh.
# pair.sh KERNEL COUNT boot ROLE is one of them, which the calendar starts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dprof=$here/../../bin/dprof
kernel=$1 count=$2

boot() { # boot ROLE NUMBER
  exec "$dprof" record --quiet -o "pair-$1.dptrace" -- "./$kernel/vmlinux" mem=64M initrd=pair/initramfs root=98:0 \
    console=tty0 con0=null,fd:1 con=null norandmaps time-travel="ext:$2:pair/time" time-travel-start=1000000000 \
    iomem=mmapper,pair/shared "vec0:transport=bess,dst=pair/$1.link,mac=02:00:00:00:00:0$2,mtu=1500,vec=0" \
    -- "$1" "$count" </dev/null >"pair-$1.log" 2>&1
}
case "${3:-} ${4:-}" in
'boot server') boot server 0 ;;
'boot client') boot client 1 ;;
esac

rm -rf pair pair-server.dptrace pair-client.dptrace
mkdir pair
truncate -s 4096 pair/shared
clang-19 -O2 -Wall "$here/calendar.c" -o pair/calendar
clang-19 -O2 -Wall -static "$here/guest-pair.c" -o pair/init
(cd pair && "../$kernel/usr/gen_init_cpio" -t 0 "$here/initramfs.list" >initramfs)
status=0
pair/calendar pair sh "$0" "$kernel" "$count" boot >pair.log || status=$?
cat pair.log
exit "$status"
