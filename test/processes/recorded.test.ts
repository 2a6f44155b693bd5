// A program that forks, recorded and replayed together as a user does it: its counters in shared memory are one line,
// its globals are not.

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dprof, DPROF_CC, makeFolder, run } from '../cli/command-line.js';

const folder = makeFolder();
const program = join(folder, 'shared');

test.each(['inherited', 'memfd', 'sysv'])(
  'two processes that share memory (%s) false-share a line of it while they count, and nothing else',
  (kind) => {
    const compiled = run(
      DPROF_CC,
      '-O1',
      '-g',
      '-pthread',
      resolve(import.meta.dirname, 'programs/shared.c'),
      '-o',
      program,
    );
    expect(compiled.status, compiled.stderr).toBe(0);
    const traces = join(folder, kind);
    const recorded = run(
      '/bin/sh',
      '-c',
      `mkdir ${traces} && ${resolve(import.meta.dirname, '../../bin/dprof')} record -o ${traces}` +
        `/shared.dptrace -- ${program} ${kind}`,
    );
    expect(recorded.status, recorded.stderr).toBe(0);
    expect(readdirSync(traces)).toHaveLength(2);
    const sharing = dprof('report', traces, '--view', 'sharing', '--format', 'json');
    expect(sharing.status, sharing.stderr).toBe(0);
    const view = JSON.parse(sharing.stdout);
    expect(view.processes.map(({ ended, threads }: { ended: string; threads: number[] }) => [ended, threads])).toEqual([
      ['exited with status 0', [0]],
      ['exited with status 0', [1]],
    ]);
    expect(view.outsideLife).toBe(0);
    // The barrier, one object in memory that each has at another address, lets both go at one clock: then each finds
    // its counter's line taken by the other every time, but for the first of each. The global that both count in has
    // one address and is two lines.
    // Whoever comes second meets lines that the other has stored to for the first time.
    const rows = view.rows.filter(
      (row: { class: string; missed: { function: string } }) =>
        row.missed.function === 'count' && row.class !== 'cold-sharing',
    );
    expect(rows).toMatchObject([
      {
        class: 'false-sharing',
        relation: 'same-object',
        misses: 1998,
        missed: { type: 'struct counters' },
        writer: { type: 'struct counters' },
      },
    ]);
    expect(dprof('dump', '--check-order', ...readdirSync(traces).map((name) => join(traces, name))).stdout).toMatch(
      /^[\d,]+ steps of 2 threads in the order logical, .*: recorded happens-before is kept\n$/,
    );
  },
);
