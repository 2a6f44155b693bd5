// Stage: blocks. What runs in the child around a block. A block clobbers every register, rsp too, so the harness keeps
// what it must know in the desk, at addresses that count from rip. It is copied to the beginning of the window; no
// label here may be used from elsewhere but as an offset from dprof_harness.
//
// Each timing: the data page, vector state, flags and registers are made new; clock; the block; clock; and a chain of
// dependent additions, which takes a cycle each, by the same clock.
#include "window.h"

#define AT(offset) dprof_harness + offset(%rip)
#define DESK_AT(field) AT(DESK + field)
#define SYS_mmap 9
#define SYS_munmap 11
#define SYS_getrusage 98
#define TASK_BYTES 0x7ffffffff000
#define COMPONENTS 0xe7 // x87, SSE, AVX, AVX-512
#define FLAGS 0x2

  .section .rodata.harness, "a"
  .balign 64, 0x90
  .globl dprof_harness
  .hidden dprof_harness
dprof_harness:

.macro entry_point name
  .globl \name
  .hidden \name
\name:
.endm

// Clock units into edx:eax. `counter`: of a performance counter, by the number that the desk says.
.macro read_clock counter
.if \counter
  mov DESK_AT(DESK_COUNTER), %ecx
  lfence
  rdpmc
.else
  lfence
  rdtsc
.endif
.endm

.macro make_new
  lea AT(STACK + PAGE), %rsp
  push $FLAGS
  popfq
  lea AT(DATA), %rdi
  mov $(PAGE / 8), %ecx
  mov $FILL, %eax
  rep stosq
  mov $COMPONENTS, %eax
  xor %edx, %edx
  xrstor64 AT(STATE)
  push $FLAGS
  popfq
  mov $FILL, %ebx
  mov $FILL, %esi
  mov $FILL, %edi
  mov $FILL, %ebp
  mov $FILL, %esp
  mov $FILL, %r8d
  mov $FILL, %r9d
  mov $FILL, %r10d
  mov $FILL, %r11d
  mov $FILL, %r12d
  mov $FILL, %r13d
  mov $FILL, %r14d
  mov $FILL, %r15d
.endm

.macro make_clock_registers_new
  mov $FILL, %eax
  mov $FILL, %ecx
  mov $FILL, %edx
.endm

// Clock units of the chain into rax.
.macro time_chain counter
  xor %esi, %esi
  mov $1, %edi
  mov DESK_AT(DESK_TURNS), %r9d
  read_clock \counter
  lfence
  mov %eax, %r10d
  mov %edx, %r11d
  .balign 64, 0x90
1:
  .rept CHAIN_ADDITIONS
  add %rdi, %rsi // not of a constant: Golden Cove does that without an execution unit
  .endr
  dec %r9d
  jnz 1b
  read_clock \counter
  shl $32, %rdx
  or %rdx, %rax
  shl $32, %r11
  or %r11, %r10
  sub %r10, %rax
.endm

.macro put_chain
  mov DESK_AT(DESK_CURSOR), %rbx
  mov %rax, 8(%rbx)
  add $16, %rbx
  mov %rbx, DESK_AT(DESK_CURSOR)
.endm

.macro ask_usage field
  mov $SYS_getrusage, %eax
  xor %edi, %edi
  lea DESK_AT(\field), %rsi
  syscall
.endm

.macro timed_run counter, exit
  ask_usage DESK_USAGE_BEFORE
  movq $0, DESK_AT(DESK_KIND)
  lea DESK_AT(DESK_RESULTS), %rbx
  mov %rbx, DESK_AT(DESK_CURSOR)
.Lkind\@:
  mov DESK_AT(DESK_KIND), %rax
  cmp DESK_AT(DESK_KINDS), %rax
  jae .Lfinished\@
  lea DESK_AT(DESK_ENTRIES), %rbx
  mov (%rbx,%rax,8), %rcx
  mov %rcx, DESK_AT(DESK_ENTRY)
  lea DESK_AT(DESK_CHAINS), %rbx
  mov (%rbx,%rax,8), %rcx
  mov %rcx, DESK_AT(DESK_TURNS)
  mov DESK_AT(DESK_WARM_UP), %rcx
  neg %rcx
  mov %rcx, DESK_AT(DESK_ROUND)
.Lround\@:
  make_new
  mfence
  read_clock \counter
  mov %eax, DESK_AT(DESK_START)
  mov %edx, DESK_AT(DESK_START + 4)
  make_clock_registers_new
  lfence
  jmp *DESK_AT(DESK_ENTRY)
entry_point \exit
  read_clock \counter
  lea AT(STACK + PAGE), %rsp
  mov %eax, %ebx
  push $FLAGS
  popfq
  shl $32, %rdx
  or %rdx, %rbx
  sub DESK_AT(DESK_START), %rbx
  incq DESK_AT(DESK_ROUND)
  js .Lround\@ // warming up: the last such round has a chain, for the first timing
  mov DESK_AT(DESK_CURSOR), %rax
  mov %rbx, (%rax)
  time_chain \counter
  put_chain
  mov DESK_AT(DESK_ROUND), %rax
  cmp DESK_AT(DESK_TIMINGS), %rax
  jb .Lround\@
  incq DESK_AT(DESK_KIND)
  jmp .Lkind\@
.Lfinished\@:
  ask_usage DESK_USAGE_AFTER
.endm

// The child comes here from C, and leaves all of that behind.
entry_point dprof_harness_begin
  lea AT(STACK + PAGE), %rsp
  mov $SYS_munmap, %eax
  xor %edi, %edi
  lea dprof_harness(%rip), %rsi
  syscall
  mov $SYS_munmap, %eax
  lea AT(WINDOW_BYTES), %rdi
  movabs $TASK_BYTES, %rsi
  sub %rdi, %rsi
  syscall
  int3
entry_point dprof_harness_ready

// The monitor's: mmap's arguments are in the registers. Then all begins anew.
entry_point dprof_harness_map
  syscall
  mov %rax, DESK_AT(DESK_MAPPED)
entry_point dprof_harness_run
  cmpq $1, DESK_AT(DESK_IS_TIMED)
  je .Ltimed
  ja .Lcounted
  make_new
  make_clock_registers_new
  jmp *DESK_AT(DESK_ENTRY)
entry_point dprof_harness_exit_logged
  int3
.Ltimed:
  timed_run 0, dprof_harness_exit_timed
  int3
.Lcounted:
  timed_run 1, dprof_harness_exit_counted
  int3

// As many additions a cycle as the core can: fewer when another thread shares it.
.macro probe name, exit
  .balign 64, 0x90
entry_point \name
  .rept PROBE_ADDITIONS / 6
  add %rbx, %rax
  add %rbx, %rcx
  add %rbx, %rdx
  add %rbx, %rsi
  add %rbx, %r8
  add %rbx, %r9
  .endr
  jmp \exit
.endm
  probe dprof_harness_probe_timed, dprof_harness_exit_timed
  probe dprof_harness_probe_counted, dprof_harness_exit_counted
entry_point dprof_harness_end
  .section .note.GNU-stack, "", @progbits
