#!/bin/sh
# usage: other-machine.sh FOLDER [QEMU OPTION...]: `dprof check` of examples/dprof.yml, whose programs are compiled
# here, on an emulated machine with Debian's kernel: what it prints as JSON. Needs qemu-system-x86_64, cpio and Debian's
# archive, from which the kernel comes (it stays in FOLDER); KERNEL_OPTIONS go to it. The machine has no disk: all that
# it runs lies in its first root.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -e "$folder/kernel" ]; then
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p')
  (cd "$folder" && apt-get download "$package" >download.log 2>&1)
  dpkg-deb -x "$folder/$package"*.deb "$folder/package"
  cp "$folder"/package/boot/vmlinuz-* "$folder/kernel"
  rm -rf "$folder/package" "$folder"/*.deb
fi

root=$folder/root
rm -rf "$root"
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/bin" "$root/usr/local/bin" "$root/examples"
# add FILE...: at its own place, with the libraries that it asks for.
add() {
  for file; do
    # Debian's /bin and /lib lead to /usr; here they are folders.
    { echo "$file"; ldd "$file" 2>/dev/null | grep -o '/[^ ]*' || true; } | while read -r one; do
      [ -e "$root$one" ] || { mkdir -p "$root$(dirname "$one")" && cp -L "$one" "$root$one"; }
    done
  done
}
for command in sh mkdir mount cat; do
  add "$(command -v "$command")"
  [ -e "$root/bin/$command" ] || cp -L "$(command -v "$command")" "$root/bin/$command"
done
node=$(node -p process.execPath)
add "$node"
ln -s "$node" "$root/usr/local/bin/node"
mkdir -p "$root$here/bin"
cp "$here/package.json" "$root$here"
cp "$here/bin/dprof" "$here/bin/package.json" "$root$here/bin"
printf '#!/bin/sh\n' >"$root$here/bin/dprof-cc" # they are compiled
chmod +x "$root$here/bin/dprof-cc"
mkdir -p "$root$here/dist/command" "$root$here/node_modules"
cp "$here"/dist/command/*js* "$root$here/dist/command"
for package in lz4-napi @antoniomuso piscina; do
  cp -rL "$here/node_modules/$package" "$root$here/node_modules/$package"
done
add "$here"/build/lib/*.node "$here/build/bin/dprof-record" "$here"/node_modules/@antoniomuso/*/*.node
cp "$here/examples/dprof.yml" "$root/examples"
cp -r "$here/examples/.dprof" "$root/examples"
rm -rf "$root/examples/.dprof/cache"
for name in capacity conflict false-sharing; do
  cp -r "$here/examples/$name" "$root/examples/$name"
  program=$root/examples/.dprof/cache/bin/$name
  mkdir -p "$(dirname "$program")"
  (cd "$root/examples" && "$here/bin/dprof-cc" -O2 -g -pthread "$name/$name.c" -o "$program")
  ldd "$program" | grep -o '/[^ ]*' | while read -r one; do add "$one"; done
done
cat >"$root/init" <<INIT
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
export PATH=/usr/local/bin:/bin:/usr/bin HOME=/tmp DPROF_CACHE=0
cd /examples
cat /proc/version >/tmp/said
node -p 'os.cpus().length' >>/tmp/said
cat /sys/devices/system/clocksource/clocksource0/current_clocksource >>/tmp/said
node $here/bin/dprof check --format json >/tmp/result 2>&1
echo "status \$?" >>/tmp/said
cat /tmp/said /tmp/result >/dev/ttyS1 # the kernel has the first
echo o >/proc/sysrq-trigger
cat
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) >"$folder/root.cpio"
qemu-system-x86_64 -m 3G -display none -no-reboot -serial "file:$folder/console" -serial "file:$folder/result" \
  -kernel "$folder/kernel" -initrd "$folder/root.cpio" \
  -append "console=ttyS0 quiet panic=-1 ${KERNEL_OPTIONS:-}" "$@" >"$folder/qemu.log" 2>&1
tr -d '\r' <"$folder/result"
