// Stage: test. One trace on several machines: what is printed and written of each is what is of it alone.

import { readFileSync, writeFileSync, readdirSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, saveTrace, withoutNext, writePairTrace } from './command-line.js';

const folder = makeFolder();
let trace: string;

beforeAll(() => {
  trace = saveTrace(folder, 'pair.dptrace', writePairTrace(30).finish({ exit: { code: 0 } }));
});

const two = ['--machine', 'zen3', '--machine', 'paper'];

function output(...words: string[]): string {
  const { status, stdout, stderr } = dprof(...words);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('JSON is one object with the view of each machine, in the order of the command line', () => {
  const joined = JSON.parse(output('report', trace, ...two, '--format', 'json', '--view', 'miss-classification'));
  expect([joined.schema, joined.view, Object.keys(joined)]).toEqual([
    'dprof.machines/1',
    'miss-classification',
    ['schema', 'view', 'machines'],
  ]);
  const alone = ['zen3', 'paper'].map((machine) =>
    JSON.parse(output('report', trace, '--machine', machine, '--format', 'json', '--view', 'miss-classification')),
  );
  expect(joined.machines).toEqual(alone);
  expect(
    alone.map(({ machine, totals }) => [machine.name, totals.references, totals.levels.l1.classes['false-sharing']]),
  ).toEqual([
    ['zen3', 60, 58],
    ['paper', 60, 58],
  ]);
});

test('text heads the report of each machine with its name, after all of them side by side', () => {
  const text = output('report', trace, ...two);
  const heading = (number: number, name: string): string => `══ machine ${number} of 2: ${name} `.padEnd(100, '═');
  const [summary, zen3, paper] = text.split(/^══.*$/m);
  expect(text.match(/^══.*$/gm)).toEqual([heading(1, 'zen3'), heading(2, 'paper')]);
  expect(summary).toBe(
    [
      '2 machines, one trace',
      'machine  L1 misses  of references  L2 misses  LLC misses  invalidations  write-backs',
      '───────  ─────────  ─────────────  ─────────  ──────────  ─────────────  ───────────',
      // An exclusive LLC has no copy of what moves between the L2s.
      'zen3            60         100.0%         60          60             59            0',
      'paper           60         100.0%         60           1             59            0',
      '',
      '',
    ].join('\n'),
  );
  expect(zen3).toBe(`\n\n${withoutNext(output('report', trace, '--machine', 'zen3'))}\n`);
  expect(paper).toBe(`\n\n${output('report', trace, '--machine', 'paper')}`);
});

test('CSV has the machine in its first column, and empty cells for what a machine has not', () => {
  const lines = output('report', trace, ...two, '--format', 'csv')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  expect(lines.map(([machine, type]) => [machine, type])).toEqual([
    ['machine', 'type'],
    ['zen3', 'struct pair'],
    ['paper', 'struct pair'],
  ]);
  const prefetches = lines[0].indexOf('prefetches.l1.issued');
  expect(prefetches).toBeGreaterThan(0);
  expect(lines[1][prefetches]).toMatch(/^\d+$/);
  expect(lines[2][prefetches]).toBe('');
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
});

test(
  'replay writes a profile for each machine, its name before the extension, with either engine and any number of ' +
    'workers the same bytes',
  () => {
    const place = join(folder, 'written');
    mkdirSync(place);
    for (const [options, name] of [
      [[], 'a.b.dprofile'],
      [['--workers', '1'], 'c.dprofile'],
      [['--engine', 'ts'], '.d'],
    ] as const)
      expect(output('replay', trace, ...two, '-o', join(place, name), ...options)).toBe('');
    const written = [
      '.d.paper',
      '.d.zen3',
      'a.b.paper.dprofile',
      'a.b.zen3.dprofile',
      'c.paper.dprofile',
      'c.zen3.dprofile',
    ];
    expect(readdirSync(place).sort()).toEqual(written);
    for (const machine of ['zen3', 'paper']) {
      const alone = join(folder, 'alone.dprofile');
      output('replay', trace, '--machine', machine, '-o', alone);
      for (const name of written.filter((one) => one.includes(machine)))
        expect(readFileSync(join(place, name)).equals(readFileSync(alone)), name).toBe(true);
    }
  },
);

test('machines of one name are called by what was given', () => {
  const file = join(folder, 'fifo.json');
  writeFileSync(file, JSON.stringify({ base: 'paper', name: 'paper', l1: { policy: 'fifo' } }));
  const { machines } = JSON.parse(output('report', trace, ...two, '--machine', file, '--format', 'json'));
  expect(machines.map(({ machine }: { machine: { name: string } }) => machine.name)).toEqual(['zen3', 'paper', file]);
  const place = join(folder, 'same-name');
  mkdirSync(place);
  output('replay', trace, '--machine', 'paper', '--machine', file, '-o', join(place, 'p'));
  expect(readdirSync(place).sort()).toEqual(['p.fifo', 'p.paper']);
});

test('two profiles are never one file, nothing is replayed twice by mistake, and devices are left alone', () => {
  const [upper, lower] = ['x', 'y'].map((name) => {
    mkdirSync(join(folder, name));
    const file = join(folder, name, 'own.json');
    writeFileSync(file, '{ "base": "paper" }');
    return file;
  });
  const refusal = (...words: string[]): string => {
    const { status, stdout, stderr } = dprof('replay', trace, ...words);
    expect([status, stdout]).toEqual([2, '']);
    return stderr.split('\n')[0];
  };
  expect(refusal('--machine', upper, '--machine', lower, '-o', '/nowhere/p.dprofile')).toBe(
    `dprof: -o /nowhere/p.dprofile: the profiles of ${upper} and ${lower} would both be /nowhere/p.own.dprofile`,
  );
  expect(refusal('--machine', 'zen3', '--machine', 'zen3', '-o', '/nowhere/p')).toBe(
    'dprof: --machine zen3 is given twice',
  );
  expect(refusal(...two, '-o', '/dev/null')).toBe('dprof: -o /dev/null is not a file, and 2 machines are 2 profiles');
  expect(dprof('dump', trace, '--references', ...two)).toMatchObject({
    status: 2,
    stderr: 'dprof: --machine is given 2 times, and this is about one machine\nhint: give one --machine\n',
  });
});

test('each machine is replayed under all schedules', () => {
  const { machines } = JSON.parse(output('report', trace, ...two, '--schedules', '2', '--format', 'json'));
  expect(machines).toEqual(
    ['zen3', 'paper'].map((machine) =>
      JSON.parse(output('report', trace, '--machine', machine, '--schedules', '2', '--format', 'json')),
    ),
  );
  expect(machines[1].schedules).toHaveLength(2);
  const report = output('report', trace, ...two, '--schedules', '2');
  expect(output('replay', trace, ...two, '--schedules', '2')).toBe(withoutNext(report));
});

test('a failure on one of them is one failure', () => {
  const cut = saveTrace(folder, 'not-a.dptrace', Buffer.from('no trace'));
  expect(dprof('report', cut, ...two)).toMatchObject({ status: 1, stdout: '' });
});
