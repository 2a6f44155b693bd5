// Stage: test. Windows of a trace as a user asks for them: what is printed, what parts add up to, and what is refused.

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parseReplayWindow, type ReplayWindowFlags } from '../../src/cli/replay-window.js';
import { readProfile } from '../../src/profile/profile-reader.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import { EventCode, MarkKind } from '../../src/trace/layout.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { dprof, makeFolder, saveTrace } from './command-line.js';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);
let trace: string;
let silent: string;

const ITEMS_AT = 0x4000n;

/**
 * 100 loads of 100 lines, 4 instructions each; the mark `load` before the 30th and the 60th, `sort` before the 80th; a
 * millisecond passes with each.
 */
function writeMarkedTrace(hasEvents: boolean, pid = 1, command = './marked'): Uint8Array {
  const unit = new UnitBuilder();
  const item = unit.type('struct', 'struct item', 64);
  const variable = unit.variable('global', 'items', item, 6400);
  const load = unit.alone('segment', [unit.slot('load', { type: item, variable })], { instructions: 4 });
  const writer = new TraceWriter({
    pid,
    process: { command: [command], executable: '/tmp/marked', cpus: 1, randomised: false },
  });
  writer.module('/tmp/marked', [writeUnit(unit.unit)], [{ address: ITEMS_AT, unit: 0, variable }]);
  const stamp = (index: number): bigint => 5_000_000_000n + BigInt(index) * 1_000_000n;
  const marks = new Map([
    [30, 'load'],
    [60, 'load'],
    [80, 'sort'],
  ]);
  writer.events(
    0,
    Array.from({ length: 100 }, (_, index) => {
      const name = marks.get(index);
      const step = { path: load, words: [ITEMS_AT + BigInt(index * 64)] };
      if (!hasEvents) return [step];
      return [
        name === undefined
          ? { code: EventCode.time, stamp: stamp(index), first: 0 }
          : { code: EventCode.mark, detail: MarkKind.phase, stamp: stamp(index), value: 0n, text: name },
        step,
      ];
    }).flat(),
  );
  return writer.finish({ exit: { code: 0 } });
}

beforeAll(() => {
  trace = saveTrace(folder, 'marked.dptrace', writeMarkedTrace(true));
  silent = saveTrace(folder, 'silent.dptrace', writeMarkedTrace(false));
});

test.each<[string[], marks: Record<string, number>]>([
  [[], { load: 2, sort: 1 }],
  // The border lies behind the mark that it is named for.
  [['--from', 'mark:load'], { load: 1, sort: 1 }],
  [['--from', 'mark:load', '--to', 'mark:load#2'], { load: 1 }],
  [['--from', 'mark:load#2', '--to', 'mark:sort'], { sort: 1 }],
  [['--from', '90'], {}],
])('window %j has the marks %j', (flags, marks) => {
  const own = Object.entries(marks).map(([name, times]) => ({ name, times }));
  expect(json(trace, ...flags).marks).toEqual(own);
  expect(json(trace, ...flags, '--engine', 'ts').marks).toEqual(own);
});

test('marks and times are those of all processes, each in the file of its own', () => {
  const other = saveTrace(folder, 'other.dptrace', writeMarkedTrace(true, 2, './marked by a longer command'));
  const both = (...flags: string[]) => json(trace, other, ...flags);
  expect(both('--to', 'mark:load#4').marks).toEqual([{ name: 'load', times: 4 }]);
  // At equal clocks the first process goes first: its load behind the mark comes before the other's mark.
  expect(both('--from', 'mark:sort#2').totals.references).toBe(39);
  expect(both('--from', '90ms').totals.references).toBe(20);
  const { status, stderr } = dprof('report', trace, other, '--from', 'mark:load#5');
  expect(stderr).toContain('--from mark:load#5: the mark comes 4 times');
  expect(status).toBe(1);
});

function json(...words: string[]): any {
  const { status, stdout, stderr } = dprof('report', ...words, '--format', 'json');
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test.each<[string[], references: number]>([
  [['--from', '40'], 60],
  [['--to', '0.04K'], 40],
  [['--from', '40', '--to', '70'], 30],
  [['--from', 'mark:load'], 70],
  [['--from', 'mark:load', '--to', 'mark:load#2'], 30],
  [['--from', 'mark:load#2', '--to', 'mark:sort'], 20],
  [['--from', '25ms'], 75],
  [['--from', '0.025s', '--to', '30500us'], 6],
  [['--from', '0ns', '--to', '99ms'], 99],
  [['--from', '10', '--to', 'mark:sort'], 70],
])('%j counts %i references, each compulsory', (words, references) => {
  const view = json(trace, ...words);
  expect([view.totals.references, view.totals.levels.l1.classes.compulsory, view.totals.instructions]).toEqual([
    references,
    references,
    4 * references,
  ]);
  expect(view.rows.reduce((sum: number, { references: { loads } }: any) => sum + loads, 0)).toBe(references);
});

test('the report names its window, and what it is exact for', () => {
  const text = dprof('report', trace, '--from', 'mark:load', '--to', '70').stdout.split('\n');
  expect(text.find((line) => line.startsWith('WINDOW'))).toBe(
    'WINDOW       from mark:load (reference 30, instruction 120 of replay time) to 70 (reference 70, ' +
      'instruction 280 of replay time): all numbers are of this part; before it, everything was replayed and',
  );
  expect(text.find((line) => line.startsWith('exact for'))).toMatch(
    /^exact for {4}the WINDOW of the run, as the whole run meets it, this machine,/,
  );
  expect(json(trace, '--from', 'mark:load', '--to', '70').window).toEqual({
    from: { asked: 'mark:load', references: 30, time: 120 },
    to: { asked: '70', references: 70, time: 280 },
    warmUp: null,
  });
  expect(json(trace)).not.toHaveProperty('window');
});

test.each([
  [['--from', '50', '--warm-up', '10'], 40],
  [['--from', 'mark:load#2', '--warm-up', '0.02K'], 40],
  [['--from', '80ms', '--warm-up', '40ms'], 40],
  [['--from', 'mark:load', '--warm-up', '1G'], 0],
])('%j begins with empty caches at reference %i', (words, references) => {
  const view = json(trace, ...words);
  expect(view.window.warmUp).toEqual({ asked: words[3], references, time: 4 * references });
  expect(dprof('report', trace, ...words).stdout.replace(/\s+/g, ' ')).toContain(
    'after a warm-up from empty caches, not for what the whole run does there',
  );
});

test('pieces that are merged have the numbers of the whole', () => {
  const pieces = [
    ['first', '--to', '37'],
    ['second', '--from', '37', '--to', 'mark:sort'],
    ['third', '--from', 'mark:sort'],
    ['whole'],
  ];
  for (const [name, ...words] of pieces)
    expect(dprof('replay', trace, '-o', at(`${name}.dprofile`), ...words)).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  expect(
    dprof('merge', at('first.dprofile'), at('second.dprofile'), at('third.dprofile'), '-o', at('merged.dprofile'))
      .stderr,
  ).toBe('');
  const [merged, whole] = [readProfile(at('merged.dprofile')), readProfile(at('whole.dprofile'))];
  expect({ ...merged.totals }).toEqual({ ...whole.totals });
  expect(merged.tallies).toEqual(whole.tallies);
  expect(merged.evictions).toEqual(whole.evictions);
  expect(listBrokenInvariants(merged)).toEqual([]);
  expect(
    merged.runs?.map(({ window }) => [window?.from?.references ?? 0, window?.to?.references ?? null]).sort(),
  ).toEqual([
    [0, 37],
    [37, 80],
    [80, null],
  ]);
  expect(dprof('report', at('merged.dprofile')).stdout).toContain('exact for    the WINDOW of the run');
});

test('a sweep, several machines and several schedules are of the window too', () => {
  expect(
    json(trace, '--from', '90', '--machine', 'paper', '--machine', 'default').machines.map(
      (view: any) => view.totals.references,
    ),
  ).toEqual([10, 10]);
  expect(json(trace, '--from', '90', '--schedules', '2').totals.references).toBe(10);
  const { status, stdout } = dprof('sweep', trace, '--from', '90', '--l1', '4K..8K', '--format', 'json');
  expect([status, JSON.parse(stdout).rows[0].misses]).toEqual([0, [10, 10]]);
});

test.each<[ReplayWindowFlags, message: string, hint: string]>([
  [
    { from: 'soon' },
    '--from "soon" is no place in a trace',
    'say a number of references (5000000, 1.2M), a time since the start (1.5s, 200ms) or a mark of the program ' +
      '(mark:NAME, mark:NAME#2)',
  ],
  [
    { to: '-5' },
    '--to "-5" is no place in a trace',
    'say a number of references (5000000, 1.2M), a time since the start (1.5s, 200ms) or a mark of the program ' +
      '(mark:NAME, mark:NAME#2)',
  ],
  [
    { to: '99999999999999999G' },
    '--to "99999999999999999G" is no place in a trace',
    'say a number of references (5000000, 1.2M), a time since the start (1.5s, 200ms) or a mark of the program ' +
      '(mark:NAME, mark:NAME#2)',
  ],
  [{ from: '5', to: '5' }, '--from 5 --to 5: the window is empty', 'name a later --to'],
  [{ to: '0' }, '--to 0: the window is empty', 'name a later --to'],
  [{ from: '2s', to: '10ms' }, '--from 2s --to 10ms: the window ends before it begins', 'name a later --to'],
  [
    { warmUp: '10' },
    '--warm-up does nothing without --from: nothing comes before the beginning',
    'give --from, or leave --warm-up out',
  ],
  [
    { from: '10', warmUp: '10ms' },
    '--warm-up 10ms is a time, and --from is none',
    'say how many references: --warm-up 10M',
  ],
  [
    { from: '10', warmUp: 'lots' },
    '--warm-up "lots" is no warm-up',
    'say how many references before --from (10M), how long (200ms), or all',
  ],
])('%j is refused before the trace is opened', (flags, message, hint) => {
  expect(() => parseReplayWindow(flags)).toThrow(expect.objectContaining({ message, hint, exitCode: 2 }));
});

test.each<[string[], message: string, hint: string]>([
  [
    ['--from', 'mark:sort', '--to', 'mark:load'],
    'the window ends before it begins: --to mark:load lies at reference 30, and --from mark:sort behind it',
    'name a later --to',
  ],
  [
    ['--from', 'mark:load', '--to', '30'],
    'the window ends before it begins: --to 30 lies at reference 30, and --from mark:load behind it',
    'name a later --to',
  ],
  [
    ['--from', '1K'],
    '--from 1K lies behind the end of the trace',
    'name an earlier place; a report on the whole trace says how many references it has',
  ],
  [
    ['--from', '10', '--to', '1K'],
    '--to 1K lies behind the end of the trace, which has 100 references',
    'without --to, the window goes on to the end',
  ],
  [
    ['--from', '1s'],
    '--from 1s lies behind the end of the trace, which is 0.099000 s long',
    'name an earlier time; without --to, the window goes on to the end',
  ],
  [['--from', 'mark:lod'], '--from mark:lod: the trace has no mark "lod"', 'its marks: load (2 times), sort'],
  [['--to', 'mark:load#3'], '--to mark:load#3: the mark comes 2 times', 'its marks: load (2 times), sort'],
])('%j is refused', (words, message, hint) => {
  expect(dprof('report', trace, ...words)).toEqual({
    status: 1,
    stdout: '',
    stderr: `dprof: ${message}\nhint: ${hint}\n`,
  });
});

test('a trace without events has no time and no marks', () => {
  expect(dprof('report', silent, '--from', '1ms')).toMatchObject({
    status: 1,
    stderr:
      `dprof: ${silent} has no time stamps, so there is no time in it\nhint: name borders by the number of ` +
      `references: --from 1.2M\n`,
  });
  expect(dprof('report', silent, '--from', 'mark:load').stderr).toBe(
    'dprof: --from mark:load: the trace has no mark "load"\nhint: it has no marks at all: the program sets ' +
      'them with dprof_mark("name") of dprof.h\n',
  );
  expect(json(silent, '--from', '60').totals.references).toBe(40);
});

test('a profile was replayed already', () => {
  dprof('replay', trace, '-o', at('done.dprofile'));
  expect(dprof('report', at('done.dprofile'), '--from', '10').stderr).toMatch(/^dprof: --from does nothing for /);
});

test('--until is --to, and the end of a window where --to is a format', () => {
  const of = ['--from', '20', '--format', 'json', '--no-cache'];
  const expected = dprof('report', trace, ...of, '--to', 'mark:load#2');
  expect(dprof('report', trace, ...of, '--until', 'mark:load#2')).toEqual(expected);
  expect(JSON.parse(expected.stdout)).toMatchObject({ totals: { references: 40 } });
  expect(dprof('replay', trace, '--from', '20', '--to', '60', '-o', at('part.dprofile')).status).toBe(0);
  const exported = (...words: string[]) => dprof('export', ...words, '--to', 'csv', '--view', 'functions', '-o', '-');
  expect(exported(trace, '--from', '20', '--until', '60', '--no-cache').stdout).toBe(
    exported(at('part.dprofile')).stdout,
  );
});

test.each([
  [['report', '--to', '20', '--until', '30'], '--to and --until are one'],
  [['stream', '--from', '30', '--until', '20'], '--from 30 --until 20: the window ends before it begins'],
  [['sql', 'from refs', '--until', '0'], '--until 0: the window is empty'],
  [
    ['report', '--until', '101', '--no-cache'],
    '--until 101 lies behind the end of the trace, which has 100 references',
  ],
  [['report', '--until', 'mark:none', '--no-cache'], '--until mark:none: the trace has no mark "none"'],
])('%j is refused', ([command, ...words], message) => {
  const { status, stderr } = dprof(command, trace, ...words);
  expect(stderr.split('\n')[0]).toBe(`dprof: ${message}`);
  expect(status).toBeGreaterThan(0);
});
