// Stage: test. Runs bin/dprof as a user does, on traces that are written here.

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EventCode, Sync } from '../../src/trace/layout.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { DPROF, type Outcome, runDprof, start } from './command-client.js';

export { DPROF, type Outcome };

const ROOT = resolve(import.meta.dirname, '../..');
export const DPROF_CC = join(ROOT, 'bin/dprof-cc');

const ENVIRONMENT = { DPROF_DEBUG: '', COLUMNS: '200' };

export function dprof(...words: string[]): Outcome {
  return runDprof(words, ENVIRONMENT);
}

export function run(program: string, ...words: string[]): Outcome {
  return program === DPROF ? dprof(...words) : start([program, ...words], { ...process.env, ...ENVIRONMENT });
}

export const makeFolder = (): string => makeTemporaryFolder('cli');

const PAIR_AT = 0x4000n;

/**
 * Two threads that store to two fields of one struct in turn, `rounds` times each:
 *
 *   thread 0          thread 1
 *   W pair.left
 *                     W pair.right      # same line: false-sharing from the second round on
 */
export function writePairTrace(rounds = 10, pid = 1): TraceWriter {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const pair = unit.type('struct', 'struct pair', 16, {
    members: [
      { name: 'left', type: long, offset: 0 },
      { name: 'right', type: long, offset: 8 },
    ],
  });
  const variable = unit.variable('global', 'shared', pair, 16);
  const left = unit.function('count_left');
  const right = unit.function('count_right');
  const store = (path: string, offset: number, functionId: number, line: number): number =>
    unit.alone('segment', [unit.slot('store', { type: pair, path, offset, variable, function: functionId, line })], {
      instructions: 4,
      function: functionId,
    });
  const paths = [store('left', 0, left, 11), store('right', 8, right, 21)];
  const writer = new TraceWriter({
    pid,
    process: { command: ['./pair', 'of counters'], executable: '/tmp/pair', cpus: 2, randomised: false },
  });
  writer.module('/tmp/pair', [writeUnit(unit.unit)], [{ address: PAIR_AT, unit: 0, variable }]);
  writer.events(0, [
    { code: EventCode.release, detail: Sync.threadCreate, stamp: 1n, address: 1n },
    ...Array.from({ length: rounds }, () => ({ path: paths[0], words: [PAIR_AT] })),
  ]);
  writer.events(1, [
    { code: EventCode.threadStart, stamp: 2n, creator: 0, address: 0x9000n, size: 0x1000n },
    ...Array.from({ length: rounds }, () => ({ path: paths[1], words: [PAIR_AT + 8n] })),
  ]);
  return writer;
}

export function saveTrace(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** Without its last line, which a report has only of a trace that has a name: the next command. */
export function withoutNext(report: string): string {
  return report.replace(/\nnext: dprof advise[^\n]*\n$/, '');
}
