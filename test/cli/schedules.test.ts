// Stage: test. One trace under several schedules: what is printed, what the profile keeps of it, and that nothing
// depends on how many work at it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { dprof, makeFolder, saveTrace, withoutNext, writePairTrace } from './command-line.js';

const folder = makeFolder();
let trace: string;

beforeAll(() => {
  trace = saveTrace(folder, 'pair.dptrace', writePairTrace(60).finish({ exit: { code: 0 } }));
});

interface Range {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

interface SchedulesJson {
  readonly schema: string;
  readonly schedule: string;
  readonly order: object;
  readonly schedules: readonly { kind: string; seed?: number }[];
  readonly ranges: {
    readonly invalidations: Range;
    readonly upgrades: Range;
    readonly transfers: Range;
    readonly levels: { readonly l1: { readonly 'false-sharing': Range } };
  };
  readonly rows: readonly {
    readonly type: string;
    readonly field: string | null;
    readonly transfers: Range;
    readonly leadingClassChanges: boolean;
  }[];
}

function report(...words: string[]): any {
  const { status, stdout, stderr } = dprof('report', ...words, '--format', 'json');
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test(
  '--schedules 5 is the schedule that was asked for and the first four seeds; the ranges are those of five ' +
    'reports',
  () => {
    const view: SchedulesJson = report(trace, '--schedules', '5');
    expect(view.schema).toBe('dprof.schedules/1');
    expect([view.schedule, view.order]).toEqual(['logical', { kind: 'logical' }]);
    expect(view.schedules).toEqual([{ kind: 'logical' }, ...[1, 2, 3, 4].map((seed) => ({ kind: 'random', seed }))]);
    const singles = ['logical', 'random:1', 'random:2', 'random:3', 'random:4'].map((schedule) =>
      report(trace, '--schedule', schedule),
    );
    expect(singles.map(({ schedule }) => schedule)).toEqual([
      'logical',
      'random:1',
      'random:2',
      'random:3',
      'random:4',
    ]);
    expect(singles[4].order).toEqual({ kind: 'random', seed: 4 });
    const range = (of: (single: any) => number): Range => {
      const sorted = singles.map(of).sort((a, b) => a - b);
      return { minimum: sorted[0], median: sorted[2], maximum: sorted[4] };
    };
    const falseSharing = range((single) => single.totals.levels.l1.classes['false-sharing']);
    expect(falseSharing.maximum).toBe(118); // logical: all but each core's first
    expect(falseSharing.minimum).toBeLessThan(60);
    expect(view.ranges.levels.l1['false-sharing']).toEqual(falseSharing);
    expect(view.ranges.invalidations).toEqual(range((single) => single.totals.invalidations));
    expect(view.ranges.upgrades).toEqual(range((single) => single.totals.upgrades));
    expect(view.ranges.transfers).toEqual(range((single) => single.orderBound.transfers));
    expect(view.rows.map(({ type, field }) => [type, field])).toEqual([
      ['struct pair', null],
      ['struct pair', 'left'],
      ['struct pair', 'right'],
    ]);
    expect(view.rows[0].transfers).toEqual(range((single) => single.rows[0].transfers));
  },
);

test('a seed that was asked for is not drawn twice', () => {
  const view: SchedulesJson = report(trace, '--schedule', 'random:2', '--schedules', '4');
  expect(view.schedules.map(({ seed }) => seed)).toEqual([2, 1, 3, 4]);
  expect(view.schedule).toBe('random:2');
});

test(
  'replay --schedules prints the ranges; the profile keeps them, with either engine and any number of workers ' +
    'the same bytes',
  () => {
    const profile = join(folder, 'pair.dprofile');
    const printed = dprof('replay', trace, '--schedules', '4', '-o', profile);
    expect(printed).toMatchObject({ status: 0, stderr: '' });
    expect(printed.stdout).toContain('schedules: sharing under 4 orders of the threads\n');
    expect(dprof('replay', trace, '--schedules', '4')).toEqual(printed);
    expect(dprof('report', profile, '--view', 'schedules')).toEqual(printed);
    expect(dprof('report', profile).stdout).toBe(withoutNext(dprof('report', trace).stdout));
    expect(dprof('report', profile, '--view', 'all').stdout).toContain(
      'schedules: sharing under 4 orders of the threads\n',
    );
    const bytes = readFileSync(profile);
    for (const options of [
      ['--workers', '1'],
      ['--workers', '3'],
      ['--engine', 'ts', '--workers', '1'],
    ]) {
      const other = join(folder, 'other.dprofile');
      expect(dprof('replay', trace, '--schedules', '4', '-o', other, ...options).status).toBe(0);
      expect(readFileSync(other).equals(bytes), options.join(' ')).toBe(true);
    }
  },
);

test('a report of one schedule names it, has no such view, and says how to get one', () => {
  expect(dprof('report', trace, '--schedule', 'random:7').stdout).toContain(
    'the schedule random:7 (drawn turns, recorded synchronisation kept)',
  );
  expect(dprof('report', trace, '--view', 'all').stdout).not.toContain('schedules:');
  expect(dprof('report', trace, '--view', 'schedules')).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'dprof: this was replayed under one schedule only\nhint: dprof report TRACE --schedules 8, or dprof ' +
      'replay TRACE --schedules 8 -o PROFILE\n',
  });
});

test('CSV of the view has a row for each type and field', () => {
  const lines = dprof('report', trace, '--schedules', '3', '--format', 'csv').stdout.trimEnd().split('\n');
  expect(lines[0].split(',').slice(0, 5)).toEqual([
    'type',
    'field',
    'levels.l1.true-sharing.minimum',
    'levels.l1.true-sharing.median',
    'levels.l1.true-sharing.maximum',
  ]);
  expect(lines.slice(1).map((line) => line.split(',').slice(0, 2).join(' '))).toEqual([
    'struct pair ',
    'struct pair left',
    'struct pair right',
  ]);
});

test(
  'dump --check-order says whether the schedule keeps recorded happens-before, and dump --references prints a ' +
    'random order',
  () => {
    // In logical, a thread's stack binds nobody.
    for (const [schedule, acquires] of [
      ['logical', '1 acquire'],
      ['recorded', '2 acquires'],
      ['random:9', '2 acquires'],
    ]) {
      expect(dprof('dump', trace, '--check-order', '--schedule', schedule)).toEqual({
        status: 0,
        stderr: '',
        stdout:
          `122 steps of 2 threads in the order ${schedule}, ${acquires}, 1 release: recorded happens-before is ` +
          `kept\n`,
      });
    }
    const [nine, again, ten] = ['random:9', 'random:9', 'random:10'].map(
      (schedule) => dprof('dump', trace, '--references', '--schedule', schedule).stdout,
    );
    expect(nine).toBe(again);
    expect(nine).not.toBe(ten);
    expect(nine.split('\n').sort()).toEqual(ten.split('\n').sort());
  },
);
