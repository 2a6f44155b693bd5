// Stage: test. What becomes of a block, bad ones too: the same word each time.

import { expect, test } from 'vitest';
import { REASONS } from '../../src/blocks/reasons.js';
import { ablationsOf, answersOf, hexOf, outcomeOf } from './measured-blocks.js';

const hasAvx512 = outcomeOf(answersOf(['62f17c4858c1'])[0]) === 'runs';

const ASSEMBLY: Readonly<Record<string, string>> = {
  // as it stands
  'call rax': 'rejected: control-flow',
  ret: 'rejected: control-flow',
  syscall: 'rejected: system-call',
  'int 0x80': 'rejected: system-call',
  sysenter: 'rejected: system-call',
  int3: 'rejected: trap',
  ud2: 'rejected: illegal-instruction',
  rdtsc: 'rejected: reads-clock',
  rdtscp: 'rejected: reads-clock',
  rdpmc: 'rejected: reads-clock',
  hlt: 'rejected: privileged',
  cli: 'rejected: privileged',
  'mov rax, cr3': 'crashed: general-protection',
  'in al, dx': 'rejected: privileged',
  wrmsr: 'rejected: privileged',
  cpuid: 'rejected: system-state',
  'wrfsbase rax': 'rejected: system-state',
  'clflush [rax]': 'rejected: cache-control',
  'vgatherdps xmm0, [rax + xmm1], xmm2': 'rejected: addresses-unknown',

  // signals
  'div rbx': 'crashed: divide-error',
  'xor ecx, ecx\ndiv ecx': 'crashed: divide-error',
  'xor eax, eax\nmov [rax], eax': 'crashed: null-page',
  'mov rax, -64\nmov rbx, [rax]': 'crashed: kernel-address',
  'mov rax, 0x1234567812345678\nmov rbx, [rax]': 'crashed: general-protection',
  'movaps xmm0, [rax + 4]': 'crashed: general-protection',
  'push 0x40000\npopfq\nmov rax, [rbx + 1]': 'crashed: misaligned',
  'push 0x100\npopfq\nnop': 'crashed: trap',
  'mov rax, 0x5e4f3c200000\nmov [rax], rbx': 'crashed: writes-code',
  'lea rax, [rip - 7]\nmov byte ptr [rax], 0x90': 'crashed: writes-code',
  'rep stosb': 'crashed: too-many-pages',
  'add rsi, 4096\nmov rax, [rsi]': 'crashed: too-many-pages',

  // invariants
  'mov rax, [rbx + 60]': 'rejected: line-crossing',
  'add rsi, 12\nmov rax, [rsi]': 'rejected: line-crossing',
  'mov [rbx], rax\nmov rcx, [rbx + 4096]': 'rejected: 4k-aliasing',
  'fld qword ptr [rax]\nfstp st': 'rejected: subnormals',
  'fadd st, st(1)': 'rejected: x87-stack',
  'mov rax, 0x5e4f3c208000\nmov rbx, [rax]': 'rejected: own-window',

  // and these run
  nop: 'runs',
  'mov rsp, 0x77\nxor ebp, ebp': 'runs',
  'push rax\npop rbx': 'runs',
  'pop rsp': 'runs',
  'std\nadd rax, rbx': 'runs',
  'mov rax, [rax]': 'runs',
  'mov [rbx], rax\nmov rcx, [rbx]': 'runs',
  'mov rax, fs:[0x28]': 'runs',
  'movaps xmm0, [rip + 0x1234]': 'runs',
  'lea rax, [rip + 0x1234]\nmovsxd rcx, [rax + 4*rbx]': 'runs',
  'lea rax, [rip + 0x1234]\nmov [rax], rcx': 'runs',
  'lock xadd [rsi], rax': 'runs',
  'mov ecx, 16\nrep stosb': 'runs',
  'mov ecx, 4\nmov rdi, rbx\nmov rsi, rbx\nrep movsq': 'runs',
  'xor edx, edx\ndiv rbx': 'runs',
  'mulsd xmm0, [rax]': 'runs',
};

test.each(Object.entries(ASSEMBLY))('%j: %s', (assembly, outcome) => {
  const hex = hexOf(assembly);
  const answers = answersOf([hex, hex]);
  expect(answers.map(outcomeOf)).toEqual([outcome, outcome]);
  for (const { reason } of answers) expect(reason === null || reason in REASONS).toBe(true);
});

test.each([
  ['ebfe', 'rejected: control-flow'], // for ever
  ['ebffc0', 'rejected: control-flow'], // into its own middle
  ['7504', 'rejected: control-flow'],
  ['e2fc', 'rejected: control-flow'],
  ['c7f800000000', 'rejected: control-flow'], // a transaction
  ['06', 'rejected: illegal-instruction'],
  ['0f0b', 'rejected: illegal-instruction'],
  ['48', 'rejected: illegal-instruction'],
  ['f0', 'rejected: illegal-instruction'],
  ['', 'rejected: empty'],
  ['4g', 'rejected: not-hexadecimal'],
  ['90'.repeat(16385), 'rejected: too-long'],
  ['90'.repeat(8000), 'rejected: l1i-overflow'],
  ['62f17c4858c1', hasAvx512 ? 'runs' : 'crashed: unsupported-instruction'],
  ['d56239b4ab84549197', 'rejected: addresses-unknown'], // of registers that no processor has yet
])('bytes %s', (hex, outcome) => {
  expect(outcomeOf(answersOf([hex])[0])).toBe(outcome);
});

test('pages that a block touches are one physical page, and are counted', () => {
  const [none, one, two, walk] = answersOf(
    ['add rax, rbx', 'mov rax, [rbx]', 'mov rax, [rbx]\nmov rcx, [rbx + 8192]', 'add rsi, 64\nmov rax, [rsi]'].map(
      hexOf,
    ),
  );
  expect([none.pages, one.pages, two.pages]).toEqual([0, 1, 2]);
  expect(walk.pages).toBeGreaterThan(10);
});

test('subnormal numbers are told of, and flushed', () => {
  const [plain, subnormal] = answersOf(['mulsd xmm0, xmm1', 'mulsd xmm0, [rax]'].map(hexOf));
  expect([plain.subnormals, subnormal.subnormals]).toEqual([true, true]);
  expect(answersOf([hexOf('movaps xmm2, xmm0\naddps xmm2, xmm1')])[0].subnormals).toBe(false);
});

test('what a block leaves behind does not reach the next one', () => {
  const spoiler = hexOf('mov qword ptr [rbx], 0\nxor eax, eax\nxor ebx, ebx\nmov ebx, 0x12345600');
  const follower = hexOf('mov rax, [rbx]\nmov rcx, [rax]');
  const outcomes = answersOf([follower, spoiler, follower, spoiler, follower]).map(outcomeOf);
  expect(outcomes).toEqual(['runs', 'runs', 'runs', 'runs', 'runs']);
});

test('steps of the method left out: no pages, pages of their own, all of them one', () => {
  const [none, one, two] = ablationsOf(
    ['add rax, rbx', 'mov rax, [rbx]', 'mov qword ptr [rbx], 0\nmov rax, [rbx + 4096]\nmov rcx, [rax]'].map(hexOf),
  ).map(({ steps }) => steps.map(outcomeOf));
  expect(none).toEqual(['runs', 'runs', 'runs', 'runs', 'runs']);
  expect(one).toEqual(['crashed: page-fault', 'runs', 'runs', 'runs', 'runs']);
  // What is stored in one page is loaded from the other if both are one.
  expect(two).toEqual(['crashed: page-fault', 'runs', ...Array<string>(3).fill('crashed: null-page')]);
});

test('steps of the method left out: the invariants hold in the last one alone', () => {
  const [{ steps }] = ablationsOf([hexOf('mov [rbx], eax\nmov rcx, [rbx + 4096]\nadd rdx, rcx')]);
  expect(steps.map(outcomeOf)).toEqual([
    'crashed: page-fault',
    ...Array<string>(3).fill('runs'),
    'rejected: 4k-aliasing',
  ]);
});

test('copies from the first that breaks an invariant are left out, if enough are left', () => {
  // The stack, 8 bytes a copy, is 4 KiB below the load in copy 511, or in copy 256.
  const [late, early] = answersOf(['push rax\nmov rcx, [rbx + 8]', 'push rax\nmov rcx, [rbx + 2048]'].map(hexOf));
  expect([late, early].map(outcomeOf)).toEqual(['runs', 'rejected: 4k-aliasing']);
  expect(late.copies ?? [255, 510]).toEqual([255, 510]); // null if it is unstable
});

test('copies from the first that crashes are left out, if enough are left', () => {
  const [walk] = answersOf([hexOf(`add rsi, 4096\nmov rax, [rsi]${'\nnop'.repeat(18)}`)]); // in 65 pages, in copy 64
  expect([outcomeOf(walk), walk.pages, walk.naive]).toEqual(['runs', 64, null]);
  expect(walk.copies ?? [32, 64]).toEqual([32, 64]);
});

test.each([
  'movd eax, xmm9',
  'vextractf128 xmm1, ymm9, 1\nvmovd eax, xmm1',
  ...(hasAvx512 ? ['vextracti32x4 xmm1, zmm31, 3\nvmovd eax, xmm1', 'vmovd eax, xmm17'] : []),
])('vector registers hold 1.0 when timings begin, too: %j', (assembly) => {
  const [answer] = answersOf([hexOf(`${assembly}\nmov rcx, [rax]`)]); // at 0x3f800000
  expect([outcomeOf(answer), answer.pages]).toEqual(['runs', 1]);
});
