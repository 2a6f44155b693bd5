#!/bin/sh
# Stage: test. clang-19 with Debian's own musl (musl-dev), linked statically: what a program does without us.
library=/usr/lib/x86_64-linux-musl
headers="-nostdlibinc -isystem /usr/include/x86_64-linux-musl"
for word in "$@"; do
  # shellcheck disable=SC2086
  case $word in -c | -E | -S) exec clang-19 $headers "$@" ;; esac
done
# shellcheck disable=SC2086
exec clang-19 -static -nostdlib -nostartfiles $headers -L$library $library/crt1.o $library/crti.o "$@" \
  -Wl,--start-group $library/libc.a -lgcc -lgcc_eh -Wl,--end-group $library/crtn.o
