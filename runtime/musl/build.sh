#!/bin/sh
# Stage: what programs are linked with. musl from Debian's source package, built with dprof-cc: build.sh DPROF_CC CLANG
# FOLDER. What comes of it lies in FOLDER/musl: include, lib, version. DPROF_MUSL_SOURCE: a folder with its sources,
# where Debian's archive is not to be had.
set -eu
dprof_cc=$1 clang=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
folder=$(cd "$3" && pwd)
say() { echo "dprof-cc: musl, once: $*" >&2; }
log=$folder/build.log
: >"$log"
trap '[ $? -eq 0 ] || { tail -n 5 "$log" | cut -c 1-300 >&2; say "failed; all that was said is in $log"; }' EXIT
for tool in make ar nm objcopy; do
  command -v $tool >/dev/null || { echo "$tool is not installed (Debian: make, binutils)" >>"$log"; exit 1; }
done

source=${DPROF_MUSL_SOURCE:-}
if [ -z "$source" ]; then
  say 'fetch its source package from Debian'
  sh "$here/fetch-debian-source.sh" musl "$folder/debian" 2>>"$log"
  source=$folder/debian/source
fi
[ -f "$source/src/internal/libc.h" ] || { echo "$source has not musl's sources" >>"$log"; exit 1; }
source=$(cd "$source" && pwd)
version=$(cat "$source/VERSION")
# By one name for all, which traces keep.
rm -rf "$folder/make"
mkdir "$folder/make"
cd "$folder/make"
say "configure $version"
CC=$clang "$source/configure" --target=x86_64-linux-musl --prefix="$folder/musl" --disable-shared >>"$log" 2>&1

# As musl's own options are, but for -ffreestanding, with which nothing would be recorded. What starts a program before
# it has relocated itself, and what errno is, of which the runtime makes use, are as without us.
cat >>config.mak <<MAKE
CC = $dprof_cc
AR = ar
RANLIB = ranlib
CFLAGS_AUTO = -O2 -pipe -w -fomit-frame-pointer -ffunction-sections -fdata-sections
CFLAGS_AUTO += -ffile-prefix-map=$source=musl-$version
CFLAGS_C99FSE = -std=c99 -nostdinc -fno-builtin -frounding-math -Wa,--noexecstack -I$here/include
obj/crt/%.o obj/src/errno/__errno_location.o obj/src/errno/__errno_location.lo: CFLAGS_ALL += -ffreestanding
# Of allocation functions that call others, the program's call is the site.
obj/src/malloc/calloc.%: CFLAGS_ALL += -Dmalloc=__seen_zeroed_malloc
obj/src/malloc/memalign.% obj/src/malloc/posix_memalign.%: CFLAGS_ALL += -Daligned_alloc=__real_aligned_alloc
obj/src/malloc/reallocarray.%: CFLAGS_ALL += -Drealloc=__real_realloc
obj/src/string/strdup.% obj/src/string/strndup.%: CFLAGS_ALL += -Dmalloc=__wrap_malloc
MAKE
say 'compile its 1,300 files'
jobs=$(nproc)
unset DPROF_ALLOCATORS DPROF_LOCKS DPROF_ONLY DPROF_SKIP DPROF_LIST DPROF_VALUES DPROF_ARGS DPROF_STATS DPROF_BLOCKS
DPROF_LIBC=itself make -j"$jobs" lib/libc.a lib/crt1.o lib/crti.o lib/crtn.o lib/rcrt1.o >>"$log" 2>&1

# musl's own calls of functions that the runtime stands in front of are not the program's. Of its allocator's functions
# only those within the allocator are not; a realloc that moves tells the runtime when.
say 'archive'
find obj/src -name '*.o' -o -name '*.lo' >"$folder/objects"
xargs nm -A -u <"$folder/objects" 2>/dev/null | sed 's/: *[Uwv] / /' |
  awk -v inner="$here/inner-names" -v allocators="$here/allocators" '
    BEGIN {
      while ((getline name <inner) > 0) is_inner[name] = 1
      while ((getline name <allocators) > 0) is_allocator[name] = 1
    }
    is_inner[$2] || (is_allocator[$2] && $1 ~ /^obj\/src\/malloc\//) {
      renames[$1] = renames[$1] " --redefine-sym " $2 "=__real_" $2
    }
    END { for (object in renames) print "objcopy" renames[object], object }' >"$folder/renames"
sh -e "$folder/renames"
objcopy --redefine-sym __libc_malloc_impl=__seen_moved_malloc --redefine-sym __libc_free=__seen_moved_free \
  obj/src/malloc/mallocng/realloc.*o
rm lib/libc.a
sort "$folder/objects" | xargs ar rc lib/libc.a
make -o lib/libc.a install-headers lib/libm.a lib/librt.a lib/libpthread.a lib/libcrypt.a lib/libutil.a lib/libxnet.a \
  lib/libresolv.a lib/libdl.a >>"$log" 2>&1
mkdir -p "$folder/musl/lib"
cp lib/*.a lib/*.o "$folder/musl/lib"
# The kernel's headers, as programs expect them beside the C library's.
for kernel in linux asm-generic; do
  [ ! -d /usr/include/$kernel ] || ln -s /usr/include/$kernel "$folder/musl/include/$kernel"
done
[ ! -d /usr/include/x86_64-linux-gnu/asm ] || ln -s /usr/include/x86_64-linux-gnu/asm "$folder/musl/include/asm"
echo "$version" >"$folder/musl/version"
rm -rf "$folder/make" "$folder/debian" "$folder/objects" "$folder/renames"
