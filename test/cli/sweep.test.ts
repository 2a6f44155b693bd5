// Stage: test. Miss curves of two walks that can be counted on paper, at every level, and that each point is a replay
// with that geometry.
//
// A struct small of 64 lines is walked from end to end four times, then a struct large of 256 lines: true LRU and sets
// that the lines fill evenly, so a walk misses all of its lines each time in what is smaller than it, and only the
// first time in the rest:
//
//            lines   4 walks    2K     4K     8K    16K
//   small       64       256   256     64     64     64
//   large      256     1,024  1,024  1,024  1,024   256

import { beforeAll, expect, test } from 'vitest';
import { drawCurve } from '../../src/report/sweep-text.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
const LINE = 64;
const WALKS = 4;
let trace: string;

beforeAll(() => {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const writer = new TraceWriter({
    process: { command: ['./walks'], executable: '/tmp/walks', cpus: 1, randomised: false },
  });
  const walks = [
    ['small', 0x10_0000, 64],
    ['large', 0x20_0000, 256],
  ] as const;
  const steps = walks.flatMap(([name, address, lines], index) => {
    const type = unit.type('struct', `struct ${name}`, LINE * lines, {
      members: [{ name: 'at', type: long, offset: 0 }],
    });
    const walk = unit.function(`walk_${name}`);
    const path = unit.alone(
      'segment',
      [unit.slot('load', { type, path: 'at', function: walk, line: 10 * (index + 1) })],
      { instructions: 2, function: walk },
    );
    return Array.from({ length: WALKS * lines }, (_, step) => ({
      path,
      words: [BigInt(address + LINE * (step % lines))],
    }));
  });
  writer.module('/tmp/walks', [writeUnit(unit.unit)], []);
  writer.events(0, steps);
  trace = saveTrace(folder, 'walks.dptrace', writer.finish({ exit: { code: 0 } }));
});

function output(...words: string[]): string {
  const { status, stdout, stderr } = dprof(...words);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const LARGE = { type: 'struct large', references: { loads: 1024, stores: 0 }, misses: [1024, 1024, 1024, 256] };
const SMALL = { type: 'struct small', references: { loads: 256, stores: 0 }, misses: [256, 64, 64, 64] };

test.each([
  ['l1', 8, ['--l1', '2K..16K']],
  ['l2', 16, ['--l1', '1K/8', '--l2', '2K..16K']],
  ['llc', 16, ['--l1', '1K/8', '--l2', '1K/16', '--llc', '16K,2K..8K']],
])('the misses of %s by type at each size', (level, ways, flags) => {
  const view = JSON.parse(output('sweep', trace, ...flags, '--format', 'json'));
  expect([view.schema, view.level, view.by, view.schedule, view.truncated]).toEqual([
    'dprof.sweep/1',
    level,
    'type',
    'logical',
    false,
  ]);
  expect(view.points.map(({ label, sizeBytes, ways: of }: any) => [label, sizeBytes, of])).toEqual(
    [2, 4, 8, 16].map((size) => [`${size}K/${ways}`, size << 10, ways]),
  );
  expect(view.rows).toEqual([LARGE, SMALL]);
  expect(view.points.map(({ totals }: any) => totals.levels[level].misses)).toEqual([1280, 1088, 1088, 320]);
  expect(view.points.map(({ machine }: any) => machine.name)).toEqual(
    [2, 4, 8, 16].map((size) => `default with ${level} ${size}K/${ways}`),
  );
});

test('text has a column for each size, the curve, the sums, and what they are of all references', () => {
  expect(output('sweep', trace, '--l1', '2K..16K')).toBe(`program      ./walks (exited with status 0)
machines     4, the first: default with l1 2K/8, 1 core, L1 2K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes
references   1,280 (1,280 loads, 0 stores) by 1 thread, schedule logical

sweep: L1 misses by type, L1 from 2K/8 to 16K/8
type             2K/8   4K/8   8K/8  16K/8  curve
─────────────  ──────  ─────  ─────  ─────  ─────
struct large    1,024  1,024  1,024    256  ███▂
struct small      256     64     64     64  █▂▂▂
all types       1,280  1,088  1,088    320  █▇▇▂
of references  100.0%  85.0%  85.0%  25.0%
  2 of 2 types with L1 misses at any size, by their sum over all sizes. curve: one character for each size, from the smallest; ▁ to █ in eighths of the row's most, · is no miss.
`);
  const cut = output('sweep', trace, '--l1', '2K..16K', '--top', '1').split('\n');
  expect(cut.filter((line) => line.startsWith('struct'))).toEqual(['struct large    1,024  1,024  1,024    256  ███▂']);
  expect(cut).toContain('all types       1,280  1,088  1,088    320  █▇▇▂');
});

test('where there is no room for all sizes every second one leaves first, the ends and the curve never', () => {
  const text = output('sweep', trace, '--l1', Array.from({ length: 33 }, (_, index) => `${index + 1}K`).join(','));
  const heading = text
    .split('\n')
    .find((line) => line.startsWith('type'))!
    .split(/ {2,}/);
  const evens = [26, 28, 30, 32];
  const left = Array.from({ length: 33 }, (_, index) => index + 1).filter(
    (size) => size % 2 === 1 || evens.includes(size),
  );
  expect(heading).toEqual(['type', ...left.map((size) => `${size}K/8`), 'curve']);
  expect(text).toContain(`${heading.length - 2} of 33 sizes have room for a column; --format json and csv have all.`);
  // 15K are 30 sets: 16 of them have 9 of the lines and miss always, 14 have 8 and keep them: 4 * 144 + 112 of 1,024
  // misses.
  expect(/^struct large .* (\S+)$/m.exec(text)![1]).toBe(`${'█'.repeat(14)}▆${'▂'.repeat(18)}`);
});

test('CSV has a column for each size', () => {
  expect(output('sweep', trace, '--l1', '2K..16K', '--format', 'csv')).toBe(
    'type,references.loads,references.stores,misses.2K/8,misses.4K/8,misses.8K/8,misses.16K/8\nstruct ' +
      'large,1024,0,1024,1024,1024,256\nstruct small,256,0,256,64,64,64\n',
  );
});

test('rows by field, function, line and core', () => {
  const rowsBy = (by: string, ...more: string[]): object[] =>
    JSON.parse(output('sweep', trace, '--l1', '2K..16K', '--by', by, '--format', 'json', ...more)).rows.map(
      ({ references, misses, ...subject }: any) => ({ ...subject, misses }),
    );
  const [large, small] = [LARGE.misses, SMALL.misses];
  expect(rowsBy('field')).toEqual([
    { type: 'struct large', field: 'at', misses: large },
    { type: 'struct small', field: 'at', misses: small },
  ]);
  expect(rowsBy('function')).toEqual([
    { function: 'walk_large', misses: large },
    { function: 'walk_small', misses: small },
  ]);
  expect(rowsBy('line').map((row: any) => [row.line.replace(/^.*:/, ''), row.function, row.misses])).toEqual([
    ['20', 'walk_large', large],
    ['10', 'walk_small', small],
  ]);
  expect(rowsBy('core')).toEqual([{ core: 0, misses: [1280, 1088, 1088, 320] }]);
  expect(rowsBy('function', '--type', 'struct small')).toEqual([{ function: 'walk_small', misses: small }]);
  expect(rowsBy('type', '--type', 'struct small')).toEqual([{ type: 'struct small', misses: small }]);
});

test('each point is a replay with that geometry, whatever the machine and the engine', () => {
  const pair = saveTrace(folder, 'pair.dptrace', writePairTrace(20).finish());
  for (const [file, level, sizes, ways, flags] of [
    [trace, 'l1', ['3K', '12K'], 8, ['--machine', 'zen3', '--policy', 'l1=bit-plru']],
    [pair, 'l2', ['64K', '128K'], 4, ['--machine', 'paper', '--schedule', 'random:3']],
  ] as const) {
    const sweep = ['sweep', file, ...flags, `--${level}`, `${sizes.join(',')}/${ways}`, '--format', 'json'];
    const swept = JSON.parse(output(...sweep));
    expect(JSON.parse(output(...sweep, '--engine', 'ts', '--workers', '1'))).toEqual(swept);
    sizes.forEach((size, index) => {
      const alone = JSON.parse(
        output('report', file, ...flags, `--${level}`, `${size}/${ways}`, '--view', 'data-profile', '--format', 'json'),
      );
      const { machine, totals } = swept.points[index];
      expect({ ...machine, name: alone.machine.name }).toEqual(alone.machine);
      expect(alone.totals).toMatchObject(totals); // and says how long the run takes
      const misses = (rows: any[], of: (row: any) => number): object =>
        Object.fromEntries(rows.map((row) => [row.type, of(row)]));
      expect(misses(swept.rows, (row) => row.misses[index])).toEqual(
        misses(alone.rows, ({ misses: { [level]: own } }) => own.loads + own.stores),
      );
    });
  }
});

test.each<[flags: string[], message: string]>([
  [[], 'sweep: no level has a range of sizes'],
  [['--l1', '8K..16K', '--schedules', '4'], '--schedules does nothing here: a sweep is under one schedule'],
  [['--l1', '8K..16K', '--top', '0'], "--top: '0' is not a positive whole number"],
  [
    ['--l1', '8K..16K', '--machine', 'zen2', '--machine', 'zen3'],
    '--machine is given 2 times, and a sweep is of one machine',
  ],
  [
    ['--l1', '8K..16K', '--by', 'object'],
    "option '--by <what>' argument 'object' is invalid. Allowed choices are type, field, function, line, core.",
  ],
])('sweep %j is refused', (flags, message) => {
  const { status, stdout, stderr } = dprof('sweep', trace, ...flags);
  expect([status, stdout, stderr.split('\n')[0]]).toEqual([2, '', `dprof: ${message}`]);
});

test('a profile is refused: its caches were simulated already', () => {
  const profile = `${folder}/walks.dprofile`;
  output('replay', trace, '-o', profile);
  for (const words of [
    ['sweep', profile, '--l1', '8K..16K'],
    ['replay', profile, '-o', `${profile}.again`],
  ]) {
    expect(dprof(...words)).toEqual({
      status: 2,
      stdout: '',
      stderr:
        `dprof: ${profile} is a profile, which was replayed already\nhint: name the trace that it was made of; ` +
        `dprof report shows what is in the profile\n`,
    });
  }
});

test('a type that is none is refused with those it may be', () => {
  expect(dprof('sweep', trace, '--l1', '8K..16K', '--type', 'struct smal')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining("hint: did you mean 'struct small'"),
  });
});

test('a curve counts eighths of the most, rounded up, and marks what is nothing', () => {
  expect(drawCurve([0, 1, 100, 101, 200, 400, 799, 800])).toBe('·▁▁▂▂▄██');
  expect(drawCurve([0, 0])).toBe('··');
});
