// Stage: bench. Instructions and chains of which it is published what they take, in cycles. What is not known for sure
// is not here.
//
// Golden Cove (Alder Lake P, Sapphire Rapids, Emerald Rapids): each has the source in which the value was read.
//
//   LLVM            LLVM 19's models of Alder Lake P and of Sapphire Rapids, both; test/bench/known-blocks.test.ts asks
//                   llvm-mca. The former is for the most part of uops.info's measurements, else of Intel's table
//                   (LLVM's commit f4410d471f1f).
//   OSACA           OSACA 0.7.1's model of Sapphire Rapids
//   Stack Overflow  answer 79363816
//   none            from memory of uops.info's table, and not read again
//
// Skylake and Zen 3: from memory of uops.info's and Agner Fog's tables, and not read again.

export type Source = 'LLVM' | 'OSACA' | 'LLVM, OSACA' | 'Stack Overflow' | 'none';

export interface KnownBlock {
  /** AT&T's syntax. */
  readonly assembly: string;
  readonly goldenCove: number;
  /** Of Golden Cove's value. */
  readonly source: Source;
  readonly skylake?: number;
  readonly zen3?: number;
  readonly note?: string;
}

export type Microarchitecture = 'goldenCove' | 'skylake' | 'zen3';

const [LLVM, OSACA, BOTH, STACK_OVERFLOW, NONE] = ['LLVM', 'OSACA', 'LLVM, OSACA', 'Stack Overflow', 'none'] as const;

const latency = (
  source: Source,
  assembly: string,
  goldenCove: number,
  skylake?: number,
  zen3?: number,
  note?: string,
): KnownBlock => ({
  source,
  assembly,
  goldenCove,
  ...(skylake !== undefined && { skylake }),
  ...(zen3 !== undefined && { zen3 }),
  ...(note !== undefined && { note }),
});

export const KNOWN_BLOCKS: readonly KnownBlock[] = [
  // Each needs what the one before it made: latency.
  latency(BOTH, 'addq %rbx, %rax', 1, 1, 1),
  latency(BOTH, 'subq %rbx, %rax', 1, 1, 1),
  latency(OSACA, 'andq %rbx, %rax', 1, 1, 1, 'LLVM says 2'),
  latency(OSACA, 'orl %ebx, %eax', 1, 1, 1, 'LLVM says 2'),
  latency(BOTH, 'adcq %rbx, %rax', 1, 1),
  latency(LLVM, 'negq %rax', 1, 1, 1),
  latency(BOTH, 'imulq %rbx, %rax', 3, 3, 3),
  latency(BOTH, 'imull %ebx, %eax', 3, 3, 3),
  latency(LLVM, 'imulq $37, %rax, %rax', 3, 3, 3),
  latency(BOTH, 'leaq (%rax,%rbx), %rax', 1, 1, 1),
  latency(BOTH, 'shlq $3, %rax', 1, 1, 1),
  latency(BOTH, 'sarq $3, %rax', 1, 1, 1),
  latency(LLVM, 'rolq $3, %rax', 1, 1, 1),
  latency(LLVM, 'rorxq $3, %rax, %rax', 1, 1),
  latency(LLVM, 'bswapq %rax', 2, 2),
  latency(LLVM, 'bswapl %eax', 1, 1),
  latency(LLVM, 'popcntq %rax, %rax', 3, 3, 1),
  latency(LLVM, 'lzcntq %rax, %rax', 3, 3, 1),
  latency(LLVM, 'tzcntq %rax, %rax', 3, 3),
  latency(LLVM, 'bsrq %rax, %rax', 3, 3),
  latency(LLVM, 'pextq %rbx, %rax, %rax', 3, 3),
  latency(BOTH, 'pdepq %rbx, %rax, %rax', 3, 3),
  latency(LLVM, 'crc32q %rbx, %rax', 3, 3, 3),
  latency(LLVM, 'cmovneq %rbx, %rax', 1, 1, 1),
  latency(BOTH, 'movslq %eax, %rax', 1, 1),
  latency(LLVM, 'shldq $3, %rbx, %rax', 3, 3),
  latency(BOTH, 'movq (%rax), %rax', 5, 4, 4),
  latency(OSACA, 'addsd %xmm1, %xmm0', 2, 4, 3, '2 from one addition to the next, else 3, which LLVM says'),
  latency(
    NONE,
    'vaddps %ymm1, %ymm0, %ymm0',
    2,
    4,
    3,
    '2 from one addition to the next, else 3, which LLVM and OSACA say',
  ),
  latency(BOTH, 'mulsd %xmm1, %xmm0', 4, 4, 3),
  latency(BOTH, 'vmulps %ymm1, %ymm0, %ymm0', 4, 4, 3),
  latency(BOTH, 'vfmadd231pd %ymm1, %ymm2, %ymm0', 4, 4, 4),
  latency(LLVM, 'vmaxpd %ymm1, %ymm0, %ymm0', 4, 4),
  latency(LLVM, 'divss %xmm1, %xmm0', 11, 11),
  latency(BOTH, 'vdivps %ymm1, %ymm0, %ymm0', 11, 11),
  latency(BOTH, 'sqrtss %xmm0, %xmm0', 12, 12),
  latency(LLVM, 'cvtdq2ps %xmm0, %xmm0', 4, 4),
  latency(LLVM, 'cvttps2dq %xmm0, %xmm0', 4, 4),
  latency(LLVM, 'roundps $0, %xmm0, %xmm0', 8, 8),
  latency(BOTH, 'paddd %xmm1, %xmm0', 1, 1, 1),
  latency(BOTH, 'vpaddq %ymm1, %ymm0, %ymm0', 1, 1, 1),
  latency(LLVM, 'pmulld %xmm1, %xmm0', 10, 10),
  latency(LLVM, 'pmullw %xmm1, %xmm0', 5, 5),
  latency(LLVM, 'pmuludq %xmm1, %xmm0', 5, 5),
  latency(LLVM, 'pmaddwd %xmm1, %xmm0', 5, 5),
  latency(LLVM, 'psadbw %xmm1, %xmm0', 3, 3),
  latency(LLVM, 'pand %xmm1, %xmm0', 1, 1, 1),
  latency(LLVM, 'pshufb %xmm1, %xmm0', 1, 1, 1),
  latency(LLVM, 'pslld $3, %xmm0', 1, 1, 1),
  latency(LLVM, 'vpermq $27, %ymm0, %ymm0', 3, 3),
  latency(BOTH, 'vpermd %ymm0, %ymm1, %ymm0', 3, 3),
  latency(BOTH, 'vextracti128 $1, %ymm0, %xmm0', 3, 3),
  latency(LLVM, 'pclmulqdq $0, %xmm1, %xmm0', 3, 7),
  // Chains of several.
  latency(BOTH, 'addq %rbx, %rax\nimulq %rbx, %rax', 4, 4, 4),
  latency(
    STACK_OVERFLOW,
    'movq (%rax), %rax\naddq $0, %rax\nimulq $1, %rax, %rax',
    8,
    8,
    undefined,
    '5 + 0 + 3: the addition of a small constant is done when registers are renamed',
  ),
  latency(LLVM, 'pmulld %xmm1, %xmm0\npaddd %xmm1, %xmm0', 11, 11),
  // Each for itself: throughput.
  latency(
    BOTH,
    'addq %rax, %rbx\naddq %rax, %rcx\naddq %rax, %rdx\naddq %rax, %rsi\naddq %rax, %rdi',
    1,
    1.25,
    undefined,
    '5 additions a cycle',
  ),
  latency(BOTH, 'movq (%rax), %rbx\nmovq 8(%rax), %rcx\nmovq 64(%rax), %rdx', 1, 1.5, 1, '3 loads a cycle'),
  latency(
    BOTH,
    'imulq %rbx, %rax\nimulq %rbx, %rcx\nimulq %rbx, %rdx\nimulq %rbx, %rsi',
    4,
    4,
    4,
    '1 multiplication a cycle',
  ),
  latency(
    BOTH,
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((to) => `vmulps %ymm0, %ymm1, %ymm${to}`).join('\n'),
    5,
    5,
    5,
    '2 multiplications a cycle',
  ),
  latency(
    BOTH,
    [2, 3, 4, 5, 6, 7].map((to) => `vpaddd %ymm0, %ymm1, %ymm${to}`).join('\n'),
    2,
    2,
    undefined,
    '3 additions of vectors a cycle',
  ),
];
