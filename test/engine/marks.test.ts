// More names of marks than are counted, set by two threads, in a window too: both engines keep the same ones, and count
// them all.

import { expect, test } from 'vitest';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { MOST_MARKS, type MarkTable } from '../../src/contract/result.js';
import type { ReplayWindow } from '../../src/contract/window.js';
import { simulate } from '../../src/sim/simulate.js';
import { EventCode, MarkKind } from '../../src/trace/layout.js';
import { replayNatively } from './replay-natively.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { randomMachine } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const NAMES = 3000;

/** Each thread names 3,000 phases of its own, and `both` behind each; then its first one again. */
function manyMarks(): Buffer {
  const unit = new UnitBuilder();
  const long = unit.type('scalar', 'long', 8);
  const load = unit.alone('segment', [unit.slot('load', { type: long })], { instructions: 3 });
  const writer = new TraceWriter();
  writer.module('/tmp/marks', [writeUnit(unit.unit)], []);
  let stamp = 0n;
  const mark = (text: string): object => ({
    code: EventCode.mark,
    detail: MarkKind.phase,
    stamp: (stamp += 1n),
    value: 0n,
    text,
  });
  for (const thread of [0, 1]) {
    const names = [...Array.from({ length: NAMES }, (_, index) => `${thread}.${index}`), `${thread}.0`];
    writer.events(
      thread,
      names.flatMap((name) => [
        mark(name),
        mark('both'),
        { path: load, words: [BigInt(0x1000 + 64 * thread)] },
      ]) as never,
    );
  }
  return writer.finish();
}

const countOf = ({ name, times }: MarkTable, asked: string): number => times[name.indexOf(asked)] ?? 0;

test('the first 4,096 names are counted however often they are set, by either engine', () => {
  const trace = openTrace(traceFile(manyMarks()));
  const input = replayInput(trace, { ...randomMachine(3), cores: 2 }, { kind: 'logical' });
  for (const workers of [1, 2]) {
    const [expected, found] = [simulate(input).marks, replayNatively(input, workers).marks];
    expect(found).toEqual(expected);
    expect(found.count).toBe(MOST_MARKS);
    // Threads take turns, so both are half way through their names then; what comes later of a name that is known is
    // counted.
    expect([
      countOf(found, 'both'),
      countOf(found, '0.0'),
      countOf(found, '1.0'),
      countOf(found, '0.1'),
      countOf(found, `1.${NAMES - 1}`),
    ]).toEqual([2 * (NAMES + 1), 2, 2, 1, 0]);
  }
});

test('a window has the marks in it; names count from the beginning', () => {
  const trace = openTrace(traceFile(manyMarks()));
  const window: ReplayWindow = { from: { kind: 'reference', references: 100 } };
  const input = { ...replayInput(trace, { ...randomMachine(3), cores: 2 }, { kind: 'logical' }), window };
  const [expected, found] = [simulate(input).marks, replayNatively(input).marks];
  expect(found).toEqual(expected);
  expect([countOf(found, 'both'), countOf(found, '0.1'), countOf(found, '0.0')]).toEqual([2 * (NAMES + 1) - 100, 0, 1]);
});
