// Stage: test. --map=cpu as a user asks for it: what reports say of it, in which commands, and what is refused.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readProfile } from '../../src/profile/profile-reader.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import { drawnTrace, type DrawnMemory } from '../drawn/drawn-trace.js';
import { parseDrawing } from '../drawn/drawing.js';
import { dprof, makeFolder, saveTrace, writePairTrace } from './command-line.js';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);
const memory: DrawnMemory = {
  types: { 'struct pair': { size: 64, fields: { left: [0, 8], right: [8, 8] } } },
  globals: { pair: ['struct pair', 0x4000] },
  heap: { block: { address: 0x10000, size: 64, type: 'struct pair' } },
};

/**
 * Thread 0 on one CPU, thread 1 on another one, where thread 0 goes at last: it frees what it allocated on the first.
 */
const drawing = (first: number, second: number): string => `
  core 0                                                core 1
  cpu ${first}; alloc block; W pair.left
                                                        cpu ${second}; W pair.right
  W pair.left
  cpu ${second}; R pair.left; R block.left; free block`;

function save(name: string, text: string): string {
  return saveTrace(folder, name, drawnTrace(parseDrawing(text), memory));
}

let trace: string;
beforeAll(() => void (trace = save('pinned.dptrace', drawing(5, 40))));

function json(...words: string[]): any {
  const { status, stdout, stderr } = dprof(...words, '--format', 'json');
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const CPUS = [
  { cpu: 5, core: 0 },
  { cpu: 40, core: 1 },
];

test('reports name the mapping, those of the default one do not', () => {
  const view = json('report', trace, '--map=cpu');
  expect([view.schedule, view.map, view.cpus, view.machine.cores, view.threads]).toEqual([
    'logical',
    'cpu',
    CPUS,
    2,
    2,
  ]);
  const flat = (words: string[]): string => dprof('report', trace, ...words).stdout.replace(/\s+/g, ' ');
  expect(flat(['--map=cpu'])).toContain(
    'synchronisation kept), threads where they were recorded (--map=cpu: CPU 5 is core 0, CPU 40 is core 1), addresses',
  );
  for (const words of [[], ['--map=thread']]) {
    expect(flat(words)).not.toContain('--map');
    expect(Object.keys(json('report', trace, ...words)).filter((name) => ['map', 'cpus'].includes(name))).toEqual([]);
  }
  expect(dprof('report', trace, '--map', 'thread', '--format', 'json').stdout).toBe(
    dprof('report', trace, '--format', 'json').stdout,
  );
});

test('rows say the cores: of references, of objects, and whether an object was freed elsewhere', () => {
  const rows = (...words: string[]): any[] => json('report', trace, ...words).rows;
  const loads = (...words: string[]): number[][] =>
    rows('--view', 'miss-classification', '--by', 'core', ...words)
      .map(({ core, references }: any) => [core, references.loads, references.stores])
      .sort();
  expect(loads('--map=cpu')).toEqual([
    [0, 0, 2],
    [1, 2, 1],
  ]);
  expect(loads()).toEqual([
    [0, 2, 2],
    [1, 0, 1],
  ]);
  const block = (...words: string[]): unknown[] =>
    rows('--view', 'address-set', ...words)
      .filter(({ kind }: any) => kind === 'heap')
      .map(({ thread, core, freedOnOtherCore }: any) => [thread, core, freedOnOtherCore]);
  expect(block('--map=cpu')).toEqual([[0, 0, true]]);
  expect(block('--map=cpu', '--cores', '64')).toEqual([[0, 5, true]]);
  expect(block('--map=cpu', '--cores', '1')).toEqual([[0, 0, false]]);
  expect(block()).toEqual([[0, 0, false]]);
});

test.each([
  [
    ['--cores', '41'],
    [5, 40],
  ],
  [
    ['--cores', '40'],
    [0, 1],
  ],
  [
    ['--cores', '1'],
    [0, 0],
  ],
  [
    ['--machine', 'paper'],
    [0, 1],
  ],
])('%j puts the CPUs on the cores %j', (words, cores) => {
  for (const engine of ['native', 'ts'])
    expect(
      json('report', trace, '--map=cpu', '--engine', engine, ...words).cpus.map(({ core }: any) => core),
      engine,
    ).toEqual(cores);
});

test('a profile keeps it, in a file of the same numbers as the report of the trace', () => {
  const profile = at('pinned.dprofile');
  expect(dprof('replay', trace, '--map=cpu', '-o', profile)).toEqual({ status: 0, stdout: '', stderr: '' });
  for (const view of ['data-profile', 'miss-classification', 'sharing', 'address-set']) {
    expect(json('report', profile, '--view', view), view).toEqual(
      json('report', trace, '--map=cpu', '--view', view, '--engine', 'ts'),
    );
  }
  const { cpus, objects } = readProfile(profile);
  expect([cpus, objects.core]).toEqual([CPUS, Uint16Array.of(0, 0)]);
  expect(listBrokenInvariants(readProfile(profile))).toEqual([]);
  const plain = at('plain.dprofile');
  dprof('replay', trace, '-o', plain);
  expect(readProfile(plain)).not.toHaveProperty('cpus');
  expect(readProfile(plain).objects).not.toHaveProperty('core');
});

test('other schedules, several of them, windows, several machines and sweeps go by it too', () => {
  const sharing = (...words: string[]): number =>
    json('report', trace, '--map=cpu', ...words).totals.levels.l1.classes.compulsory;
  // The pair on each core, the block on the one where it is read.
  expect([sharing(), sharing('--schedule', 'recorded'), sharing('--schedule', 'random:3')]).toEqual([3, 3, 3]);
  expect(sharing('--from', '3')).toBe(1);
  expect(json('report', trace, '--map=cpu', '--schedules', '3').cpus).toEqual(CPUS);
  const machines = dprof('report', trace, '--map=cpu', '--machine', 'paper', '--machine', 'zen3').stdout.replace(
    /\s+/g,
    ' ',
  );
  expect(machines.split('--map=cpu: CPU 5 is core 0, CPU 40 is core 1').length).toBe(3);
  const sweep = json('sweep', trace, '--l1', '4K..8K', '--map=cpu', '--by', 'core');
  expect([
    sweep.map,
    sweep.cpus,
    sweep.rows.map(({ core, references }: any) => [core, references.loads]).sort(),
  ]).toEqual([
    'cpu',
    CPUS,
    [
      [0, 0],
      [1, 2],
    ],
  ]);
  expect(dprof('sweep', trace, '--l1', '4K..8K', '--map=cpu').stdout).toContain(
    'schedule logical, threads where they were recorded (--map=cpu: CPU 5 is core 0, CPU 40 is core 1)',
  );
});

test('a dump of references, of a core, and the check of the order go by it too', () => {
  const lines = (...words: string[]): string[] =>
    dprof('dump', trace, '--references', ...words)
      .stdout.trimEnd()
      .split('\n');
  expect(lines('--map=cpu')).toEqual(['0 w 4000 8', '1 w 4008 8', '0 w 4000 8', '1 r 4000 8', '1 r 10000 8']);
  expect(lines('--map=cpu', '--core', '1')).toEqual(['1 w 4008 8', '1 r 4000 8', '1 r 10000 8']);
  expect(lines()).toEqual(['0 w 4000 8', '1 w 4008 8', '0 w 4000 8', '0 r 4000 8', '0 r 10000 8']);
  const check = (...words: string[]): string => dprof('dump', trace, '--check-order', ...words).stdout;
  expect(check('--map=cpu')).toMatch(/recorded happens-before is kept\n$/);
  expect(check('--map=cpu')).toBe(check());
  expect(dprof('dump', trace, '--references', '--map=cpu', '--core', '2')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'dprof: --core 2: the machine has 2 cores, 0 to 1\nhint: threads are on the CPUs that were recorded; ' +
      '--cores says how many cores those are\n',
  });
});

test('profiles of one mapping are merged, and name all their CPUs; of two they are not', () => {
  const replayed = (name: string, path: string, ...words: string[]): string => {
    expect(dprof('replay', path, '-o', at(name), ...words)).toEqual({ status: 0, stdout: '', stderr: '' });
    return at(name);
  };
  const here = replayed('here.dprofile', trace, '--map=cpu');
  const there = replayed('there.dprofile', save('there.dptrace', drawing(7, 5)), '--map=cpu');
  const merged = at('merged.dprofile');
  expect(dprof('merge', here, there, '-o', merged)).toEqual({ status: 0, stdout: '', stderr: '' });
  const { cpus, rows } = json('report', merged, '--view', 'address-set');
  expect(cpus).toEqual([
    { cpu: 5, core: 0 },
    { cpu: 7, core: 1 },
    { cpu: 40, core: 1 },
  ]);
  expect(
    rows
      .filter(({ kind }: any) => kind === 'heap')
      .map(({ core }: any) => core)
      .sort(),
  ).toEqual([0, 1]);
  const other = at('other.dprofile');
  dprof('merge', there, here, '-o', other);
  expect(readFileSync(other).equals(readFileSync(merged))).toBe(true);
  const byThread = replayed('by-thread.dprofile', trace);
  expect(dprof('merge', here, byThread, '-o', at('nothing.dprofile'))).toEqual({
    status: 1,
    stdout: '',
    stderr:
      `dprof: ${here} and ${byThread} cannot be merged: their threads were placed with --map cpu and ` +
      `thread\nhint: replay each trace with the same --map\n`,
  });
});

test.each([['native'], ['ts']])(
  'a trace that says no CPU, and one with a CPU that no machine has, are refused (%s)',
  (engine) => {
    const silent = saveTrace(folder, 'silent.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
    expect(dprof('report', silent, '--map=cpu', '--engine', engine)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `dprof: ${silent}: no CPU is recorded, so --map=cpu has nothing to go by\nhint: leave it out: threads ` +
        `are then placed in creation order, modulo --cores\n`,
    });
    const odd = save('odd.dptrace', drawing(1, 65_536));
    expect(dprof('report', odd, '--map=cpu', '--engine', engine)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        `dprof: ${odd}: CPU of the TIME event at stamp 1300 at offset 0: expected a number below 65536, found ` +
        `65536\nhint: the file is damaged or was not written by dprof record; record again\n`,
    });
    expect(dprof('report', odd, '--engine', engine).status).toBe(0);
  },
);
