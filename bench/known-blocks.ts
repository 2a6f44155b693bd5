// Stage: bench. Instructions and chains of which it is published what they take, in cycles. What is not known for sure
// is not here.
//
// Golden Cove (Alder Lake P, Sapphire Rapids, Emerald Rapids): latencies and throughputs of uops.info's table, of
// Intel's Optimization Reference Manual, and of LLVM 19's model of Sapphire Rapids, which is made from Intel's data
// (llvm-mca-19 -mcpu=sapphirerapids prints it). Where these differ, the note says whose value is taken. Skylake and
// Zen 3: uops.info and Agner Fog's instruction tables; the fewer lines, the less is known for sure.

export interface KnownBlock {
  /** AT&T's syntax. */
  readonly assembly: string;
  readonly goldenCove: number;
  readonly skylake?: number;
  readonly zen3?: number;
  readonly note?: string;
}

export type Microarchitecture = 'goldenCove' | 'skylake' | 'zen3';

const latency = (assembly: string, goldenCove: number, skylake?: number, zen3?: number, note?: string): KnownBlock => ({
  assembly,
  goldenCove,
  ...(skylake !== undefined && { skylake }),
  ...(zen3 !== undefined && { zen3 }),
  ...(note !== undefined && { note }),
});

export const KNOWN_BLOCKS: readonly KnownBlock[] = [
  // Each needs what the one before it made: latency.
  latency('addq %rbx, %rax', 1, 1, 1),
  latency('subq %rbx, %rax', 1, 1, 1),
  latency('andq %rbx, %rax', 1, 1, 1, 'Intel; LLVM 19 says 2'),
  latency('orl %ebx, %eax', 1, 1, 1, 'Intel; LLVM 19 says 2'),
  latency('adcq %rbx, %rax', 1, 1),
  latency('negq %rax', 1, 1, 1),
  latency('imulq %rbx, %rax', 3, 3, 3),
  latency('imull %ebx, %eax', 3, 3, 3),
  latency('imulq $37, %rax, %rax', 3, 3, 3),
  latency('leaq (%rax,%rbx), %rax', 1, 1, 1),
  latency('shlq $3, %rax', 1, 1, 1),
  latency('sarq $3, %rax', 1, 1, 1),
  latency('rolq $3, %rax', 1, 1, 1),
  latency('rorxq $3, %rax, %rax', 1, 1),
  latency('bswapq %rax', 2, 2),
  latency('bswapl %eax', 1, 1),
  latency('popcntq %rax, %rax', 3, 3, 1),
  latency('lzcntq %rax, %rax', 3, 3, 1),
  latency('tzcntq %rax, %rax', 3, 3),
  latency('bsrq %rax, %rax', 3, 3),
  latency('pextq %rbx, %rax, %rax', 3, 3),
  latency('pdepq %rbx, %rax, %rax', 3, 3),
  latency('crc32q %rbx, %rax', 3, 3, 3),
  latency('cmovneq %rbx, %rax', 1, 1, 1),
  latency('movslq %eax, %rax', 1, 1),
  latency('shldq $3, %rbx, %rax', 3, 3),
  latency('movq (%rax), %rax', 5, 4, 4),
  latency('addsd %xmm1, %xmm0', 2, 4, 3, 'uops.info: 2 from one addition to the next, else 3'),
  latency('vaddps %ymm1, %ymm0, %ymm0', 2, 4, 3, 'uops.info: 2 from one addition to the next, else 3'),
  latency('mulsd %xmm1, %xmm0', 4, 4, 3),
  latency('vmulps %ymm1, %ymm0, %ymm0', 4, 4, 3),
  latency('vfmadd231pd %ymm1, %ymm2, %ymm0', 4, 4, 4),
  latency('vmaxpd %ymm1, %ymm0, %ymm0', 4, 4),
  latency('divss %xmm1, %xmm0', 11, 11),
  latency('vdivps %ymm1, %ymm0, %ymm0', 11, 11),
  latency('sqrtss %xmm0, %xmm0', 12, 12),
  latency('cvtdq2ps %xmm0, %xmm0', 4, 4),
  latency('cvttps2dq %xmm0, %xmm0', 4, 4),
  latency('roundps $0, %xmm0, %xmm0', 8, 8),
  latency('paddd %xmm1, %xmm0', 1, 1, 1),
  latency('vpaddq %ymm1, %ymm0, %ymm0', 1, 1, 1),
  latency('pmulld %xmm1, %xmm0', 10, 10),
  latency('pmullw %xmm1, %xmm0', 5, 5),
  latency('pmuludq %xmm1, %xmm0', 5, 5),
  latency('pmaddwd %xmm1, %xmm0', 5, 5),
  latency('psadbw %xmm1, %xmm0', 3, 3),
  latency('pand %xmm1, %xmm0', 1, 1, 1),
  latency('pshufb %xmm1, %xmm0', 1, 1, 1),
  latency('pslld $3, %xmm0', 1, 1, 1),
  latency('vpermq $27, %ymm0, %ymm0', 3, 3),
  latency('vpermd %ymm0, %ymm1, %ymm0', 3, 3),
  latency('vextracti128 $1, %ymm0, %xmm0', 3, 3),
  latency('pclmulqdq $0, %xmm1, %xmm0', 3, 7),
  // Chains of several.
  latency('addq %rbx, %rax\nimulq %rbx, %rax', 4, 4, 4),
  latency(
    'movq (%rax), %rax\naddq $0, %rax\nimulq $1, %rax, %rax',
    8,
    8,
    undefined,
    'Golden Cove adds small constants for nothing',
  ),
  latency('pmulld %xmm1, %xmm0\npaddd %xmm1, %xmm0', 11, 11),
  // Each for itself: throughput.
  latency(
    'addq %rax, %rbx\naddq %rax, %rcx\naddq %rax, %rdx\naddq %rax, %rsi\naddq %rax, %rdi',
    1,
    1.25,
    undefined,
    '5 additions a cycle',
  ),
  latency('movq (%rax), %rbx\nmovq 8(%rax), %rcx\nmovq 64(%rax), %rdx', 1, 1.5, 1, '3 loads a cycle'),
  latency(
    'imulq %rbx, %rax\nimulq %rbx, %rcx\nimulq %rbx, %rdx\nimulq %rbx, %rsi',
    4,
    4,
    4,
    '1 multiplication a cycle',
  ),
  latency(
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((to) => `vmulps %ymm0, %ymm1, %ymm${to}`).join('\n'),
    5,
    5,
    5,
    '2 multiplications a cycle',
  ),
  latency(
    [2, 3, 4, 5, 6, 7].map((to) => `vpaddd %ymm0, %ymm1, %ymm${to}`).join('\n'),
    2,
    2,
    undefined,
    '3 additions of vectors a cycle',
  ),
];
