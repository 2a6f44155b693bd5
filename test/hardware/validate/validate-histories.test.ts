// Stage: test. Every verdict and every reason, each on one object that is drawn.

import { expect, test } from 'vitest';
import { drawValidation, spellExceptions, type DrawnValidation } from './drawn-validation.js';

const judge = (text: string, options?: DrawnValidation): readonly [string, ...string[]] => {
  const validation = drawValidation(text, options);
  const { elements, accesses } = validation;
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  expect(elements.inTrace + sum(elements.reasons)).toBe(elements.seen);
  expect(accesses.seen + sum(accesses.reasons)).toBe(accesses.traced);
  expect(accesses.seen).toBe(elements.inTrace);
  return [validation.verdict, ...spellExceptions(validation)];
};

test('what is the same agrees, of two threads, in slots and in order', () => {
  const validation = drawValidation(`
    1 0 fill:19 | 0 0 store fill:19
    1 8 fill:20 | 0 8 store fill:20
    2 0 look:24 | 1 0 load look:24
    2 0 look:24 | 1 0 load look:24
    1 8 shut:27 | 0 12:4 store shut:27`);
  expect(validation).toMatchObject({
    verdict: 'agrees',
    rows: [],
    elements: { seen: 5, instrumented: 5, inTrace: 5, agreement: { line: 5, function: 0, code: 0, foreign: 0 } },
    accesses: { traced: 5, seen: 5, afterLetGo: 0 },
    order: { ofThread: 3, betweenThreads: 3 },
    threads: [
      { tid: 1, thread: 0 },
      { tid: 2, thread: 1 },
    ],
    types: [{ type: 'struct drawn', histories: 1, elements: 5, inTrace: 5, explained: 0, unexplained: 0 }],
  });
});

test('an access that a register saw and the trace has not: the recorder missed it', () => {
  expect(judge('1 0 fill:19 | 0 0 store fill:19\n 1 8 known:20 | -')).toEqual([
    'differs',
    'register unexplained 1: 8 known',
  ]);
});

test('one of a loop is missing', () => {
  expect(judge('1 0 look:24 | 0 0 load look:24\n 1 0 look:24 | -\n 1 0 look:24 | 0 0 load look:24')).toEqual([
    'differs',
    'register unexplained 1: 0 look',
  ]);
});

test('an access that the trace has and no register saw: the recorder made it up', () => {
  expect(judge('1 0 fill:19 | 0 0 store fill:19\n - | 0 0 store fill:20')).toEqual([
    'differs',
    'trace unexplained 1: 0 fill',
  ]);
});

test('a block operation that begins in a watched slot and is not seen there is none', () => {
  expect(judge('1 0 fill:19 | 0 0 store fill:19\n - | 0 24:16 block wipe:9')).toEqual([
    'differs',
    'trace unexplained 1: 24 wipe',
  ]);
});

test('another function is another access', () => {
  expect(judge('1 0 known:19 | 0 0 store fill:19')).toEqual([
    'differs',
    'register unexplained 1: 0 known',
    'trace unexplained 1: 0 fill',
  ]);
});

test('another slot is another access', () => {
  expect(judge('1 0 fill:19 | 0 8 store fill:19')).toEqual([
    'differs',
    'register unexplained 1: 0 fill',
    'trace unexplained 1: 8 fill',
  ]);
});

test('another line of the function is the same access, and counted as such', () => {
  expect(drawValidation('1 0 fill:18 | 0 0 store fill:19')).toMatchObject({
    verdict: 'agrees',
    elements: { agreement: { line: 0, function: 1 } },
  });
});

test('an access to bytes of two slots counts in both', () => {
  expect(drawValidation('1 0 fill:19 | 0 0:16 store fill:19\n 1 8 fill:19 | -')).toMatchObject({
    verdict: 'agrees',
    elements: { inTrace: 2 },
    accesses: { traced: 2 },
  });
});

test('an object that the trace has not', () => {
  expect(judge('1 0 known:19 | -\n 1 0 strlen:1@libc | -', { isAbsent: true })).toEqual([
    'differs',
    'register unexplained 1: 0 known',
    'register c-library 1: 0 strlen',
  ]);
});

test('nothing that could be in the trace', () => {
  expect(judge('1 0 strlen:1@libc | -')).toEqual(['nothing-seen', 'register c-library 1: 0 strlen']);
});

const SAME = '1 0 fill:19 | 0 0 store fill:19\n';

test.each([
  ['the C library', `${SAME} 1 0 strlen:1@libc | -`, 'register c-library 1: 0 strlen'],
  ['the recorder, which measures scans', `${SAME} 1 0 bytes_until:1@runtime | -`, 'register recorder 1: 0 bytes_until'],
  ['a module that was not instrumented', `${SAME} 1 0 inflate:1@libz | -`, 'register not-instrumented 1: 0 inflate'],
  ['a function that was not instrumented', `${SAME} 1 0 skipped:30 | -`, 'register not-instrumented 1: 0 skipped'],
  ['one access, two instructions of its line', `${SAME} 1 0 fill:19^2 | -`, 'register split 1: 0 fill'],
  [
    'an update in one instruction',
    '1 0 add:9 | 0 0 load add:9 #1\n - | 0 0 store add:9 #1',
    'trace one-instruction 1: 0 add',
  ],
  [
    'two stores in one instruction',
    '1 0 both:9 | 0 0:4 store both:8 #1\n - | 0 4:4 store both:9 #1',
    'trace one-instruction 1: 0 both',
  ],
  [
    'two updates in a row',
    '1 0 add:9 | 0 0 load add:9 #1\n - | 0 0 store add:9 #1\n 1 0 add:9 | 0 0 load add:9 #2\n - | 0 0 store add:9 #2',
    'trace one-instruction 2: 0 add',
  ],
  ['a load of which only one slot is used', '1 0 size:9 | 0 0:16 load size:9', 'trace narrowed 1: 8 size'],
  [
    'a load of which only the last slot was watched',
    `${SAME} - | 0 24:16 load size:9`,
    'trace partly-watched 1: 24 size',
  ],
  ['the kernel', `${SAME} - | 0 0:20 kernel`, ...[0, 8, 16].map((offset) => `trace kernel 1: ${offset}`)],
  [
    'a block operation of several instructions',
    '1 0 wipe:9 | 0 0:32 block wipe:9\n 1 0 wipe:9 | -\n 1 8 wipe:9 | -\n 1 16 wipe:9 | -\n 1 24 wipe:9 | -',
    'register block-piece 1: 0 wipe',
  ],
] as const)('explained: %s', (_, text, ...exceptions) => {
  expect(judge(text)).toEqual(['agrees', ...exceptions]);
});

test('a block operation that the C library does is in the trace', () => {
  expect(
    drawValidation('1 0 memcpy:1@libc | 0 0 block copy:9\n 1 0 memcpy:2@libc | -\n 1 0 fwrite:3@libc | -'),
  ).toMatchObject({
    verdict: 'agrees',
    elements: { inTrace: 1, agreement: { foreign: 1 }, reasons: { 'block-piece': 1, 'c-library': 1 } },
  });
});

test('an update of which nothing was seen is not one instruction with anything', () => {
  expect(
    judge('1 0 add:9 | 0 0 load add:9 #1\n - | 0 0 store add:9 #1\n - | 0 0 load add:9 #2\n - | 0 0 store add:9 #2'),
  ).toEqual(['differs', 'trace unexplained 1: 0 add', 'trace unexplained 1: 0 add', 'trace one-instruction 1: 0 add']);
});

test('the trace says that it has a gap there', () => {
  expect(judge(`${SAME} 1 0 known:20 | -\n 1 0 fill:19 | ~ 0 0 store fill:19`)).toEqual([
    'agrees',
    'register gap 1: 0 known',
  ]);
});

test('behind the end of a truncated trace', () => {
  expect(judge(`${SAME} 1 0 known:20 | -`, { truncated: true })).toEqual(['agrees', 'register truncated 1: 0 known']);
});

test('an object that was let go: what the trace has behind it is not held against it', () => {
  const text = '1 0 look:24 | 0 0 load look:24\n - | 0 0 store fill:19\n - | 0 0 load look:24';
  expect(drawValidation(text, { ending: 2 })).toMatchObject({
    verdict: 'agrees',
    accesses: { traced: 1, seen: 1, afterLetGo: 2 },
    rows: [],
  });
  expect(drawValidation(text)).toMatchObject({ verdict: 'differs', accesses: { traced: 3 } });
});

test(
  'an object that was let go: what a thread did before the last of it that was seen is not behind letting ' + 'go',
  () => {
    // Two stores are one instruction: their slot alone could as well have been let go after the first round.
    const rounds = [1, 3].map(
      (step) =>
        `1 0 fill:19 | 0 0:4 store fill:19 #${step}\n - | 0 4:4 store fill:19 #${step}\n 1 8 look:24 | 0 8 load ` +
        `look:24 #${step + 1}`,
    );
    const found = drawValidation([...rounds, '- | 0 0:4 store fill:19 #5', '- | 0 4:4 store fill:19 #5'].join('\n'), {
      ending: 2,
    });
    expect([found.verdict, ...spellExceptions(found)]).toEqual(['agrees', 'trace one-instruction 2: 0 fill']);
    expect(found.accesses).toMatchObject({ traced: 6, seen: 4, afterLetGo: 2 });
  },
);

test('lost samples, and threads without registers', () => {
  const text = '1 0 fill:19 | 0 0 store fill:19\n - | 1 0 load look:24';
  expect(judge(text, { end: { lost: 3 } })).toEqual(['agrees', 'trace lost 1: 0 look']);
  expect(judge(text, { end: { unwatchedThreads: 1 } })).toEqual(['agrees', 'trace unwatched-thread 1: 0 look']);
  expect(judge(text, { end: { lateThreads: 1 } })).toEqual(['agrees', 'trace unwatched-thread 1: 0 look']);
  expect(judge(text)).toEqual(['differs', 'trace unexplained 1: 0 look']);
});

test("the order of a thread: within one segment the compiler's, else the trace's", () => {
  const swapped = (steps: readonly number[]): readonly string[] =>
    judge(`1 8 fill:20 | 0 0 store fill:19 #${steps[0]}\n 1 0 fill:19 | 0 8 store fill:20 #${steps[1]}`);
  expect(swapped([1, 1])).toEqual(['agrees', 'order one-segment 1: 0 fill']);
  expect(swapped([1, 2])).toEqual(['differs', 'order unexplained 1: 0 fill']);
});

test("the order of two threads: the trace's stamps must allow it", () => {
  const between = (first: string, second: string): string =>
    drawValidation(`1 0 fill:19 | 0 0 store fill:19 [${first}]\n 2 0 look:24 | 1 0 load look:24 [${second}]`).verdict;
  expect(between('10,20', '15,30')).toBe('agrees');
  expect(between('10,20', '5,15')).toBe('agrees');
  expect(between('10,20', '5,10')).toBe('differs');
});

test('threads are paired by what they did, whichever number they have', () => {
  const { verdict, threads } = drawValidation(
    '1 0 fill:19 | 0 0 store fill:19\n 8 0 look:24 | 2 0 load look:24\n 7 8 known:9 | 1 8 load known:9' +
      '\n 9 0 strlen:1@libc | -',
  );
  expect([verdict, threads]).toEqual([
    'agrees',
    [
      { tid: 1, thread: 0 },
      { tid: 7, thread: 1 },
      { tid: 8, thread: 2 },
      { tid: 9, thread: null },
    ],
  ]);
});

test('long sequences are aligned in windows, and no access is taken twice', () => {
  const line = (index: number): string =>
    index % 700 === 699 ? `1 0 known:${index} | -` : `1 0 look:${index} | 0 0 load look:${index}`;
  const text = Array.from({ length: 3000 }, (_, index) => line(index)).join('\n');
  expect(drawValidation(text)).toMatchObject({
    verdict: 'differs',
    elements: { seen: 3000, inTrace: 2996, agreement: { line: 2996 }, reasons: { unexplained: 4 } },
    accesses: { traced: 2996 },
  });
});
