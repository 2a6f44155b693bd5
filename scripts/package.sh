#!/bin/sh
# npm run package: build/package/dprof-VERSION-linux-x64.tar.gz and dprof_VERSION_amd64.deb, of this build: the engine,
# the runtime, the tools, the plugin for every LLVM that is installed (16, 19 and 22), the page and the docs.
# What needs them finds them beside itself: the archive may be unpacked anywhere.
# npm run package -- aarch64: build/package-aarch64/dprof-VERSION-linux-arm64.tar.gz and dprof_VERSION_arm64.deb, of
# what scripts/aarch64.sh builds here.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh --build-only
steps_of=package
. scripts/steps.sh
trap 'rm -f "$steps_file"' EXIT
case ${1:-} in
'')
  node_arch=x64 debian_arch=amd64 build=build packages=node_modules out=build/package strip=strip
  tools='allocations blocks cc c++ fc code history probe record sample'
  ;;
aarch64)
  node_arch=arm64 debian_arch=arm64 build=build/aarch64 packages=build/aarch64/npm/node_modules
  out=build/package-aarch64 strip=llvm-strip-19
  tools='allocations cc c++ fc code probe record' # the others are for x86-64
  sh scripts/aarch64.sh
  step "npm's packages for $node_arch"
  mkdir -p build/aarch64/npm
  cp package.json package-lock.json build/aarch64/npm
  (cd build/aarch64/npm && npm ci --omit=dev --ignore-scripts --os=linux --cpu=$node_arch --libc=glibc >npm.log 2>&1) ||
    { cat build/aarch64/npm/npm.log >&2; exit 1; }
  step_done
  ;;
*)
  step_say "usage: npm run package [-- aarch64]"
  exit 2
  ;;
esac
for llvm in 16 22; do
  if [ ! -x "/usr/bin/llvm-config-$llvm" ]; then
    step_say "no plugin for LLVM $llvm: llvm-$llvm-dev is not installed"
    continue
  fi
  step "the plugin for LLVM $llvm"
  cmake -S . -B "$build" >/dev/null
  cmake --build "$build" --target "dprof_pass-$llvm" >/dev/null
  step_done
done

version=$(node -p 'require("./package.json").version')
name=dprof-$version-linux-$node_arch
root=$out/$name
rm -rf "$out"
mkdir -p "$root/build/bin" "$root/build/lib" "$root/node_modules" "$root/runtime"
step 'files'
cp -r LICENSE README.md bin docs spark "$root"
find "$root/spark" -name __pycache__ -prune -exec rm -r {} +
cp -r runtime/include "$root/runtime"
mkdir -p "$root/dist/command"
cp dist/command/*.js dist/command/*.cjs "$root/dist/command"
cp -r dist/page "$root/dist"
# What runs of it, and no more; the package manager's own notes stay here.
node -e '
  const { version, license, description, type, engines, exports } = require("./package.json");
  const { default: kernel } = exports["."];
  const own = { name: "dprof", version, description, license, private: true, type, engines, exports: kernel };
  console.log(JSON.stringify(own, null, 2));
' >"$root/package.json"
# What a kernel's file imports as "dprof".
for file in kernel/kernel stream/validity; do
  mkdir -p "$root/dist/src/$(dirname "$file")"
  cp "dist/src/$file.js" "$root/dist/src/$file.js"
done
# The packages that are not bundled (scripts/build-dist.mjs), and what they depend on.
node -e '
  const { existsSync } = require("fs");
  const packages = process.argv[1];
  const found = new Set();
  const add = (name) => {
    const folder = `${packages}/${name}`;
    if (found.has(name) || !existsSync(folder)) return; // of another system
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = require(`./${folder}/package.json`);
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) add(other);
  };
  for (const name of ["@duckdb/node-api", "esbuild", "lz4-napi", "piscina"]) add(name);
  console.log([...found].sort().join("\n"));
' "$packages" >"$out/packages"
while read -r piece; do
  mkdir -p "$root/node_modules/$(dirname "$piece")"
  cp -r "$packages/$piece" "$root/node_modules/$piece"
done <"$out/packages"
for file in $tools; do
  cp -P "$build/bin/dprof-$file" "$root/build/bin"
done
cp -P "$build"/bin/dprof-llvm-* "$root/build/bin"
cp -r "$build"/lib/*.so "$build"/lib/*.node "$build"/lib/*.a "$build"/lib/*.rsp "$build/lib/link" \
  "$build/lib/musl" "$root/build/lib"
rm -f "$root"/build/lib/libdprof_pass.so
for plugin in "$build"/llvm-*/lib/libdprof_pass-*.so; do
  [ ! -e "$plugin" ] || cp "$plugin" "$root/build/lib"
done
find "$root/build" -type f \( -perm -u+x -o -name '*.so' -o -name '*.node' \) ! -name '*.rsp' \
  -exec "$strip" --strip-debug {} + 2>/dev/null || true
find "$root/build/lib" -name '*.a' -exec "$strip" --strip-debug {} +
# Debian has these two in packages of their own, which a machine without perf need not have.
for library in libdw.so.1 libelf.so.1; do
  case $node_arch in
  x64) found=$(ldconfig -p | sed -n "s/^\t$library (libc6,x86-64) => //p" | head -n 1) ;;
  *) found=$build/sysroot/usr/lib/aarch64-linux-gnu/$library ;;
  esac
  cp -L "$found" "$root/build/lib/$library"
done
step_done

step 'archive'
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -C "$out" -cf - "$name" |
  gzip -n >"$out/$name.tar.gz"
step_done

step 'Debian package'
deb=$out/deb
mkdir -p "$deb/usr/lib" "$deb/usr/bin" "$deb/usr/include" "$deb/DEBIAN"
cp -r "$root" "$deb/usr/lib/dprof"
for command in dprof dprof-cc dprof-c++ dprof-fc; do ln -s "../lib/dprof/bin/$command" "$deb/usr/bin/$command"; done
for header in "$root"/runtime/include/*.h; do
  ln -s "../lib/dprof/runtime/include/$(basename "$header")" "$deb/usr/include/$(basename "$header")"
done
cat >"$deb/DEBIAN/control" <<CONTROL
Package: dprof
Version: $version
Architecture: $debian_arch
Maintainer: The dprof authors <dprof@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$deb/usr" | cut -f 1)
Depends: libc6 (>= 2.36), libstdc++6 (>= 12), zlib1g, liblzma5, libbz2-1.0
Recommends: clang-19 | clang-22 | clang-16, nodejs (>= 20.15)
Description: which C types miss the cache, and why
 Records every access of a real run of a C, C++, Rust or Fortran program by a
 clang plugin, replays them through simulated caches, and says which types and
 fields miss, why, and what to change.
CONTROL
# What Node makes of the bundle (bin/dprof), which users cannot write here.
cat >"$deb/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
[ "$1" != configure ] || dprof --help >/dev/null 2>&1 || true
POSTINST
cat >"$deb/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
rm -f /usr/lib/dprof/dist/command/*.cjs.v*
PRERM
chmod 755 "$deb/DEBIAN/postinst" "$deb/DEBIAN/prerm"
dpkg-deb --root-owner-group -Zzstd -z10 -b "$deb" "$out/dprof_${version}_$debian_arch.deb" >/dev/null
rm -rf "$deb"
step_done
ls -l "$out/$name.tar.gz" "$out/dprof_${version}_$debian_arch.deb" >&2
