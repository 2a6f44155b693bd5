// Stage: test. The hardware proof of the recorder: programs run with debug registers set and recorded at the same time,
// and every access that registers saw is in the trace.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DPROF, DPROF_CC, run } from '../../cli/command-line.js';
import { build, folder, REGISTERS_ARE_DENIED } from '../histories/history-programs.js';
import { readHistories } from '../../../src/hardware/histories/histories-reader.js';
import type { HistoriesValidation } from '../../../src/hardware/validate/validate-histories.js';
import { spellExceptions } from './drawn-validation.js';

const TRACE = join(folder, 'run.dptrace');
const HISTORIES = join(folder, 'run.dphistories');

function take(flags: readonly string[], ...command: readonly string[]): void {
  run(DPROF, 'history', '--quiet', '-o', HISTORIES, '--trace', TRACE, '--one-in', '1', ...flags, '--', ...command);
}

function validate(status = 0): HistoriesValidation {
  const outcome = run(DPROF, 'validate', TRACE, HISTORIES, '--format', 'json');
  expect([outcome.status, outcome.stderr]).toEqual([status, '']);
  return JSON.parse(outcome.stdout) as HistoriesValidation;
}

if (REGISTERS_ARE_DENIED)
  test.skip(
    'the kernel gives no debug registers here: the recorder is not proven by hardware, and the other tests of ' +
      'this file are skipped',
  );

const EACH = 10; // accesses to a packet

test.skipIf(REGISTERS_ARE_DENIED).each([
  ['plain', 40, 4],
  ['elsewhere', 40, 4],
  ['realloc', 44, 8],
  ['leak', 10, 1],
  ['kill', 40, 4],
  ['crash', 40, 4],
  ['fork', 40, 4],
] as const)(
  'packets, %s: all %i accesses are in the trace, at their lines, in their order',
  (how, elements, objects) => {
    take(['--type', 'struct packet', '--longest', '0'], build('packets.c', 'dprof-cc'), '4', how);
    const found = validate();
    expect(found).toMatchObject({
      schema: 'dprof.validate/1',
      of: 'histories',
      verdict: 'agrees',
      truncated: { trace: false, histories: false },
      objects: { watched: objects, inTrace: objects },
      elements: {
        seen: elements,
        instrumented: elements,
        inTrace: elements,
        agreement: { line: elements, function: 0, code: 0, foreign: 0 },
      },
      accesses: { traced: elements, seen: elements, afterLetGo: 0 },
      rows: [],
    });
    if (how === 'plain')
      expect(found.order).toMatchObject({ ofThread: 4 * (EACH - 2), betweenThreads: 4 * (EACH - 3) });
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('C++: constructors, methods, a tree', () => {
  take(['--type', 'ns::Node'], build('nodes.cpp', 'dprof-cc'));
  expect(validate()).toMatchObject({
    verdict: 'agrees',
    objects: { watched: 6, inTrace: 6 },
    elements: { seen: 18, inTrace: 18 },
    accesses: { traced: 18 },
    rows: [],
  });
});

function buildOwn(source: string, ...flags: string[]): string {
  const program = join(folder, `${source}${flags.join('')}`);
  execFileSync(
    source.endsWith('.cpp') ? DPROF_CC.replace(/cc$/, 'c++') : DPROF_CC,
    ['-g', ...flags, '-pthread', resolve(import.meta.dirname, 'programs', source), '-o', program],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return program;
}

test.skipIf(REGISTERS_ARE_DENIED)(
  'C++ containers and threads: shared objects, lambdas, an array behind its cookie',
  () => {
    take(
      [
        '--longest',
        '0',
        '--type',
        'shop::Order',
        '--type',
        'shop::Cell',
        '--field',
        'id_',
        '--field',
        'amount_',
        '--field',
        'value',
        '--field',
        'next',
      ],
      buildOwn('containers.cpp', '-O1'),
    );
    const { rows, elements, firstElement, types, end } = readHistories(HISTORIES);
    expect(types.map(({ name }) => name)).toEqual(['shop::Order', 'shop::Cell']);
    const byType = types.map((_, type) => Array.from(rows.type.keys()).filter((row) => rows.type[row] === type));
    expect(byType.map((each) => each.length)).toEqual([8, 8]);
    // The cookie holds the number of cells: 3 and 4 by turns.
    expect(byType[1].filter((row) => (rows.element[row] - 8) % 16 !== 0)).toEqual([]);
    expect(Array.from(new Set(byType[1].map((row) => rows.bytes[row]))).sort()).toEqual([56, 72]);
    // The constructor stores, raise loads and stores, the destructor loads.
    const ofOrders = byType[0].reduce((sum, row) => sum + firstElement[row + 1] - firstElement[row], 0);
    expect(ofOrders).toBe(8 * 5);
    expect(end).toMatchObject({ lost: 0, stray: 0, unwatchedThreads: 0 });
    expect(validate()).toMatchObject({
      verdict: 'agrees',
      objects: { watched: 16, inTrace: 16 },
      elements: {
        seen: elements.ip.length,
        instrumented: elements.ip.length,
        inTrace: elements.ip.length,
        agreement: { line: elements.ip.length },
      },
      accesses: { traced: elements.ip.length, seen: elements.ip.length },
      rows: [],
    });
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('a server: a pool of threads, forked children, an allocator with a header', () => {
  take(
    ['--longest', '0', '--type', 'struct job', '--field', 'next', '--field', 'number', '--field', 'answer'],
    buildOwn('server.c', '-O1'),
  );
  const { rows, end } = readHistories(HISTORIES);
  expect([rows.type.length, ...new Set(rows.element)]).toEqual([24, 16]); // each behind its header
  expect(end).toMatchObject({ lost: 0, stray: 0, threads: 4, unwatchedThreads: 0, forkedChildren: 3 });
  const found = validate();
  const { seen } = found.elements;
  expect(found).toMatchObject({
    verdict: 'agrees',
    objects: { watched: 24, inTrace: 24 },
    elements: { instrumented: seen, inTrace: seen, agreement: { line: seen } },
  });
  expect(found.accesses.traced - found.accesses.reasons['one-instruction']).toBe(seen);
});

/** One part is built by a compiler that instruments nothing. */
function buildReasons(): string {
  const source = resolve(import.meta.dirname, 'programs/reasons.c');
  const program = join(folder, 'reasons');
  execFileSync('clang-19', [
    '-g',
    '-O1',
    '-c',
    resolve(import.meta.dirname, 'programs/elsewhere.c'),
    '-o',
    `${program}-elsewhere.o`,
  ]);
  execFileSync(DPROF_CC, ['-g', '-O1', '-pthread', '-DOTHERS', source, `${program}-elsewhere.o`, '-o', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return program;
}

test.skipIf(REGISTERS_ARE_DENIED)(
  'what both do not see alike has its reason: updates, the kernel, libraries, code that was not instrumented',
  () => {
    const program = buildReasons();
    take(['--type', 'struct record', '--field', 'count', '--field', 'name', '--field', 'users'], program);
    const numbers = validate();
    expect([numbers.verdict, ...spellExceptions(numbers)]).toEqual([
      'agrees',
      'trace one-instruction 4: 0 count',
      'register not-instrumented 2: 0 elsewhere',
      'trace one-instruction 2: 0 add',
    ]);
    expect(numbers).toMatchObject({
      elements: { seen: 30, inTrace: 28, agreement: { line: 28 } },
      accesses: { traced: 34, seen: 28 },
    });

    take(['--type', 'struct record', '--field', 'text', '--field', 'low'], program);
    const text = validate();
    expect(text.verdict).toBe('agrees');
    expect(text.accesses.reasons).toEqual({
      unexplained: 0,
      'one-instruction': 0,
      narrowed: 0,
      'partly-watched': 0,
      kernel: 6,
      lost: 0,
      'unwatched-thread': 0,
    });
    // How libraries go through a string is theirs; what instrumented code did is known.
    expect(text.elements).toMatchObject({
      instrumented: 14,
      agreement: { line: 14, function: 0, code: 0 },
      reasons: { unexplained: 0, gap: 0, truncated: 0, 'not-instrumented': 0 },
    });
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('text: verdict first, then what adds up', () => {
  take(['--type', 'struct packet'], build('packets.c', 'dprof-cc'), '2', 'plain');
  const { status, stdout } = run(DPROF, 'validate', TRACE, HISTORIES);
  expect(status).toBe(0);
  const lines = stdout.split('\n').map((line) => line.trimEnd());
  expect(lines[0]).toBe(
    'AGREES: every access that registers saw in instrumented code is in the trace, in its order, and what is ' +
      'not is explained',
  );
  expect(lines.slice(4, 11)).toEqual([
    'objects      2 watched, 2 of them in the trace',
    'seen         20 accesses by registers, 20 of them in instrumented code',
    'in trace     20 (100.0%): 20 at the same line',
    'not in trace none',
    'traced       20 accesses to these slots meanwhile, 20 seen',
    'not seen     none',
    'order        16 behind another of their thread, 14 behind one of another thread; other order: none',
  ]);
});

test.skipIf(REGISTERS_ARE_DENIED)('a trace of another run is refused', () => {
  const program = build('packets.c', 'dprof-cc');
  take(['--type', 'struct packet'], program, '2', 'plain');
  run(DPROF, 'record', '-o', join(folder, 'other.dptrace'), '--', program, '2', 'plain');
  const { status, stdout, stderr } = run(DPROF, 'validate', join(folder, 'other.dptrace'), HISTORIES);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `dprof: ${HISTORIES} and ${join(folder, 'other.dptrace')} are of two runs: their clocks do not meet\nhint: ` +
      `take both at once: dprof history --trace TRACE -o HISTORIES\n`,
  );
});

test('wrong files are refused', () => {
  const { status, stderr } = run(DPROF, 'validate', DPROF, DPROF);
  expect([status, stderr]).toEqual([
    2,
    `dprof: ${DPROF} holds no histories and no samples\nhint: dprof history --trace TRACE -o HISTORIES --type ` +
      `'struct packet' -- PROGRAM writes both; dprof sample and dprof import write samples\n`,
  ]);
});
