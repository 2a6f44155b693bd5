#!/bin/sh
# Stage: test. A program and parts of musl, instrumented by clang's own SanitizerCoverage instead of dprof, linked with
# Debian's musl for the rest: count-by-clang.sh SOURCES PROGRAM-SOURCE FOLDER. Leaves FOLDER/counted and FOLDER/counts,
# one line for each place: FILE:LINE LOADS STORES.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sources=$1 program=$2 folder=$3
headers=/usr/include/x86_64-linux-musl
mkdir -p "$folder"
counting="-O2 -g -w -fsanitize-coverage=bb,no-prune,trace-loads,trace-stores"
for file in stdlib/qsort stdio/vfprintf malloc/mallocng/malloc malloc/mallocng/free malloc/mallocng/realloc \
  malloc/mallocng/aligned_alloc malloc/mallocng/donate malloc/mallocng/malloc_usable_size; do
  # As runtime/musl/build.sh compiles it.
  # shellcheck disable=SC2086
  clang-19 $counting -std=c99 -nostdinc -fno-builtin -frounding-math -fomit-frame-pointer -ffunction-sections \
    -fdata-sections -D_XOPEN_SOURCE=700 -I"$here/../../../runtime/musl/include" -I"$sources/arch/x86_64" \
    -I"$sources/arch/generic" -I"$sources/src/include" -I"$sources/src/internal" -I$headers -I"$sources/include" \
    -c "$sources/src/$file.c" -o "$folder/$(basename "$file").o"
done
# shellcheck disable=SC2086
clang-19 $counting -DCOUNTED -nostdlibinc -isystem $headers -c "$program" -o "$folder/program.o"
clang-19 -O2 -w -nostdlibinc -isystem $headers -c "$here/counter.c" -o "$folder/counter.o"
"$here/plain-cc.sh" "$folder"/*.o -o "$folder/counted"
COUNTS=$folder/addresses "$folder/counted" >&2
cut -d ' ' -f 1 "$folder/addresses" |
  llvm-symbolizer-19 -e "$folder/counted" --no-inlines -f=none --output-style=GNU -s >"$folder/places"
cut -d ' ' -f 2- "$folder/addresses" | paste -d ' ' "$folder/places" - >"$folder/counts"
