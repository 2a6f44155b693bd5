#!/bin/sh
# What is changed in Linux 6.1's source: changes.sh SOURCE. Each change is checked: status 1 if one does not apply.
set -eu
source=$1
change() { # change FILE SED-COMMAND TEXT-AFTERWARDS
  sed -i "$2" "$source/$1"
  grep -qF -- "$3" "$source/$1" && return
  echo "run.sh: $1 is not as it was in Linux 6.1: a change does not apply" >&2
  echo "hint: see what became of it in $source, and mend examples/linux-kernel/changes.sh" >&2
  exit 1
}

# The guest's random numbers, which choose hash seeds and ports, come from the host and from the moments at which they
# are asked for. No two boots would be alike. So the host gives a constant, and of what is mixed only the length counts.
change arch/um/os-Linux/util.c 's/return getrandom(buf, len, flags);/memset(buf, 0x5a, len);\n\treturn len;/' \
  'memset(buf, 0x5a, len);'
change drivers/char/random.c \
  's/blake2s_update(&input_pool.hash, buf, len);/blake2s_update(\&input_pool.hash, (const u8 *)\&len, sizeof(len));/' \
  'blake2s_update(&input_pool.hash, (const u8 *)&len, sizeof(len));'

# 6.1 has room for 2,696 bytes of vector registers; hosts with AMX have 11,008, and refuse a part of them. Without, it
# saves the first 512. A guest's process keeps the others, because it is a process of the host.
change arch/x86/um/os-Linux/registers.c 's/have_xstate_support = 1;/have_xstate_support = 0;/' \
  'have_xstate_support = 0;'
