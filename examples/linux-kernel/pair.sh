#!/bin/sh
# Two kernels, a server and its client, on one link, each recorded, and both replayed as processes of one machine:
# pair.sh KERNEL COUNT, in the folder of run.sh. pair.sh KERNEL COUNT ROLE is one of them, which the calendar starts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dprof=$here/../../bin/dprof
kernel=$1 count=$2 role=${3:-}

boot() { # boot NUMBER
  exec "$dprof" record --quiet -o "pair-$role.dptrace" -- "./$kernel/vmlinux" mem=64M initrd=initramfs root=98:0 \
    console=tty0 con0=null,fd:1 con=null norandmaps time-travel="ext:pair/time" time-travel-start=1000000000 \
    iomem=mmapper,pair/shared "vec0:transport=bess,dst=pair/$role.link,mac=02:00:00:00:00:0$1,mtu=1500,vec=0" \
    -- "$role" "$count" </dev/null >"pair-$role.log" 2>&1
}
case $role in
server) boot 0 ;;
client) boot 1 ;;
esac

rm -rf pair pair-server.dptrace pair-client.dptrace
mkdir pair
truncate -s 4096 pair/shared
clang-19 -O2 "$here/calendar.c" -o pair/calendar
status=0
began=$(date +%s%3N)
pair/calendar pair sh "$0" "$kernel" "$count" >pair.log || status=$?
took=$(($(date +%s%3N) - began))
for role in server client; do
  sh "$here/explain-end.sh" "$PWD/pair-$role.log" "$status" "$count" || status=$?
done
"$dprof" report pair-server.dptrace pair-client.dptrace --from mark:begin --to mark:end --top 10
cat pair.log
echo "run.sh: pair took $took ms" >&2
exit "$status"
