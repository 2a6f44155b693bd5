#!/bin/sh
# usage: try-package.sh FOLDER [CLANG]: what npm run package made, in a fresh Debian 12 that has Node and that clang
# alone, and no network: the archive, then the Debian package. Needs root, debootstrap, and Debian's archive to make
# FOLDER/root, which stays for the next time.
set -eu
folder=$1 clang=${2:-19}
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$folder/root-$clang
archive=$(ls "$here"/build/package/dprof-*-linux-x64.tar.gz)
package=$(ls "$here"/build/package/dprof_*_amd64.deb)
if [ ! -e "$root/made" ]; then
  rm -rf "$root"
  mkdir -p "$folder"
  debootstrap --variant=minbase bookworm "$root" >"$folder/debootstrap.log" 2>&1
  cp /etc/apt/sources.list.d/* "$root/etc/apt/sources.list.d/" 2>/dev/null || true
  cp /etc/apt/sources.list "$root/etc/apt/sources.list" 2>/dev/null || true
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  chroot "$root" apt-get update -qq >>"$folder/debootstrap.log" 2>&1
  chroot "$root" apt-get install -y --no-install-recommends "clang-$clang" libc6-dev >>"$folder/debootstrap.log" 2>&1
  cp "$(node -p process.execPath)" "$root/usr/local/bin/node"
  touch "$root/made"
fi

# inside COMMAND: in the root, without network or processes of others.
inside() {
  unshare --net --mount --pid --fork --mount-proc="$root/proc" \
    sh -c 'mount --rbind /dev "$1/dev"; exec chroot "$1" /usr/bin/env -i PATH="$2" HOME=/root sh -euc "$3"' \
    sh "$root" "$PATH_INSIDE:/usr/local/bin:/usr/bin:/bin" "$1"
}
try='
cd /root && rm -rf try && mkdir try && cd try
cat >list.c <<C
#include <stdlib.h>
struct node { struct node *next; long key; };
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 1000; i++) { struct node *one = malloc(sizeof *one); one->next = list; one->key = i; list = one; }
  long sum = 0;
  for (int round = 0; round < 10; round++) for (struct node *at = list; at; at = at->next) sum += at->key;
  return sum != 4995000;
}
C
dprof-cc -O1 -g list.c -o list
dprof record --quiet -o list.dptrace -- ./list
dprof report list.dptrace --format json >report.json
node -e "
  const { rows } = JSON.parse(require(\"fs\").readFileSync(\"report.json\", \"utf8\"));
  const { references } = rows.find(({ type }) => type === \"struct node\");
  console.log(references.loads, references.stores);
" >counts
[ "$(cat counts)" = "20000 2000" ] || { echo "counts: $(cat counts)"; exit 1; }
dprof html list.dptrace -o list.html 2>/dev/null && [ -s list.html ]
dprof sql list.dptrace "select count(*) n from refs" --format csv
cat >loads.ts <<T
import { kernel } from "dprof";
export default kernel({
  columns: ["kind"],
  batch: ({ count, kind }, counts) => {
    for (let row = 0; row < count; row++) counts.add([kind.at(row)], 1);
  },
});
T
dprof kernel loads.ts list.dptrace >kernel.out
dprof advise list.dptrace >/dev/null
cat >dprof.yml <<Y
programs:
  list:
    build: dprof-cc -O1 -g list.c -o list
    run: ./list
    limits: ["struct node: bytes <= 16"]
Y
dprof check
'
begin=$(date +%s%3N)
rm -rf "$root/opt/dprof"
mkdir -p "$root/opt/dprof"
tar -xzf "$archive" -C "$root/opt/dprof" --strip-components=1
PATH_INSIDE=/opt/dprof/bin
inside "$try"
echo "archive: $((($(date +%s%3N) - begin) / 100)) tenths of a second, from nothing to a check"
rm -rf "$root/opt/dprof"

begin=$(date +%s%3N)
cp "$package" "$root/root/dprof.deb"
PATH_INSIDE=/usr/sbin:/sbin
inside 'dpkg -i /root/dprof.deb >/dev/null'
inside "$try"
inside 'dpkg -r dprof >/dev/null; [ ! -e /usr/lib/dprof ]'
echo "package: $((($(date +%s%3N) - begin) / 100)) tenths of a second"
