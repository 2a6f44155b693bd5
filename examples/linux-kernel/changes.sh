#!/bin/sh
# What is changed in Linux 6.1's source: changes.sh SOURCE. Each change is checked: status 1 if one does not apply.
set -eu
source=$1
here=$(cd "$(dirname "$0")" && pwd)
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

# lld begins a segment where the protection changes, in the same page if the script does not say otherwise, and then a
# page of data is read-only. So there is one segment for all, as binutils' ld makes it.
segments='headers PT_PHDR PHDRS; interp PT_INTERP; all PT_LOAD FILEHDR PHDRS FLAGS(7);'
others='dynamic PT_DYNAMIC; tls PT_TLS; stack PT_GNU_STACK FLAGS(6);'
script=arch/um/kernel/dyn.lds.S
change $script "s/^SECTIONS\$/PHDRS { $segments $others }\\n&/" 'all PT_LOAD FILEHDR PHDRS FLAGS(7);'
change $script 's/^  \.interp .*/& :all :interp/' '*(.interp) } :all :interp'
change $script 's/^  INIT_TEXT_SECTION(PAGE_SIZE)$/& :all/' 'INIT_TEXT_SECTION(PAGE_SIZE) :all'
change $script 's/^  \.tdata\t.*/& :all :tls/; s/^  \.tbss\t.*/& :all :tls/' '*(.tcommon) } :all :tls'
change $script 's/^  \.eh_frame .*/& :all/' '(*(.eh_frame)) } :all'
change $script '/^  \.gcc_except_table /d' '.eh_frame '
change $script 's/^  \.dynamic .*/& :all :dynamic\n  .gcc_except_table : { *(.gcc_except_table) } :all/' \
  '*(.gcc_except_table) } :all'

# /dev/dprof, with which the guest marks where its workload begins and ends.
cp "$here/mark.c" "$source/arch/um/kernel/dprof_mark.c"
cp "$here/../../runtime/include/dprof.h" "$source/arch/um/kernel/dprof.h"
change arch/um/kernel/Makefile 's/^obj-y += load_file.o$/& dprof_mark.o/' 'load_file.o dprof_mark.o'

# Under a calendar (pair.sh), a frame that comes while the kernel waits has to be an event of the simulated time, or the
# kernel would see it only with its next timer. virtio_uml tells of its interrupts; the vector driver does not.
vector=arch/um/drivers/vector_kern.c
handler='static void vector_comes(int irq, int fd, void *dev, struct time_travel_event *event)'
change $vector "s/^static int irq_rr;\$/$handler\n{\n\ttime_travel_add_irq_event(event);\n}\n\n&/" \
  'time_travel_add_irq_event(event);'
request='s/um_request_irq(/um_request_irq_tt(/;s/name, dev);/name, dev, vector_comes);/'
change $vector "/READ IRQ/,/IRQF_SHARED/{$request}" 'IRQF_SHARED, dev->name, dev, vector_comes);'
