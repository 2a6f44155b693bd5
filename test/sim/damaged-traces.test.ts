// Traces whose chunks were damaged and whose checksums were mended: the simulator ends in a result or in one typed
// error.

import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { LineUses } from '../../src/sim/line-uses.js';
import { simulate } from '../../src/sim/simulate.js';
import { ChunkKind } from '../../src/trace/layout.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { packColumn, locateColumn, unpackColumn } from '../../src/trace/column.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { writeUnit } from '../trace/unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { atLength } from '../at-length.js';

/** The trace with some bytes of one EVENTS column changed. */
function damage(bytes: Buffer, random: RandomNumbers): Buffer {
  const chunks = readTrace(traceFile(bytes)).chunks.filter((chunk) => chunk.kind === ChunkKind.events);
  const chunk = random.pick(chunks);
  const payload = bytes.subarray(chunk.offset, chunk.offset + chunk.bytes);
  const columns: Uint8Array[] = [];
  for (let at = 8; at < payload.length; ) {
    const { stored, next } = locateColumn(payload, at, 0);
    columns.push(Uint8Array.from(unpackColumn(stored, 0)));
    at = next;
  }
  const column = random.pick(columns.filter((raw) => raw.length > 0));
  for (let count = random.between(1, 3); count > 0; count--)
    column[random.below(column.length)] ^= 1 << random.below(7);
  const changed = Buffer.concat([payload.subarray(0, 8), ...columns.map(packColumn)]);
  const header = Buffer.from(bytes.subarray(chunk.offset - 32, chunk.offset));
  header.writeUInt32LE(changed.length, 16);
  header.writeUInt32LE(crc32(changed), 20);
  header.writeUInt32LE(crc32(header.subarray(0, 28)), 28);
  return Buffer.concat([
    bytes.subarray(0, chunk.offset - 32),
    header,
    changed,
    bytes.subarray(chunk.offset + chunk.bytes),
  ]);
}

const TRACES = atLength(16, 120);

it(`${TRACES} damaged traces end in a result or in a DprofError`, () => {
  const random = new RandomNumbers(5);
  const outcomes = { result: 0, refused: 0 };
  for (let attempt = 0; attempt < TRACES; attempt++) {
    const path = traceFile(damage(Buffer.from(randomTrace(attempt % 10, { actions: 120 })), random));
    try {
      simulate(
        replayInput(openTrace(path), randomMachine(attempt), { kind: attempt % 2 === 0 ? 'logical' : 'recorded' }),
      );
      outcomes.result++;
    } catch (error) {
      expect(error).toBeInstanceOf(DprofError);
      outcomes.refused++;
    }
  }
  expect(outcomes.result).toBeGreaterThan(TRACES / 12);
  expect(outcomes.refused).toBeGreaterThan(TRACES / 12);
});

it('an address that no program has is refused with its value', () => {
  const builder = new UnitBuilder();
  builder.alone('segment', [builder.slot('load')]);
  const writer = new TraceWriter();
  writer.module('m', [writeUnit(builder.unit)], []);
  writer.events(0, [{ path: 0, words: [0xffff_ffff_ff60_0000n] }]);
  const input = replayInput(openTrace(traceFile(writer.finish())), randomMachine(1), { kind: 'logical' });
  expect(() => simulate(input)).toThrow(
    new TraceError('address of an access', 0, 'an end below 2^53', '0xffffffffff600000'),
  );
});

it('the lanes of a vector that starts below 0 wrap: only active lanes are accesses', () => {
  const builder = new UnitBuilder();
  builder.alone('segment', [builder.slot('maskedLoad', { sizeBytes: 8, lanes: 4 })]);
  const writer = new TraceWriter();
  writer.module('m', [writeUnit(builder.unit)], []);
  writer.events(0, [{ path: 0, words: [0xffff_ffff_ffff_fff8n, 0b1110n] }]);
  const { totals } = simulate(
    replayInput(openTrace(traceFile(writer.finish())), randomMachine(1), { kind: 'logical' }),
  );
  expect(totals.accesses).toBe(3);
});

it('a footprint beyond what the engine can hold is one line, not a crash', () => {
  const lines = new LineUses(64, { coveringLife: () => -1 }, 2);
  for (const line of [7, 9, 7]) lines.reference(line, 0, false, false);
  expect(() => lines.reference(8, 0, false, false)).toThrow(
    new DprofError(
      'the trace references more than 2 cache lines, too many for the TypeScript engine',
      'replay it with --engine native',
    ),
  );
});
