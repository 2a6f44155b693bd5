// Constructed and random records of IBS and SPE come to the values on which two decoders that were written apart, one
// in
// C++ and one in TypeScript, agreed; the digests are theirs.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { RecordType, SampleField as F } from '../../src/hardware/import/perf-layout.js';
import { splitDataSource } from '../../src/hardware/samples/data-source.js';
import type { ColumnName } from '../../src/hardware/samples/samples.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { collect } from './collect.js';
import { constructIbs, constructSpe, IBS_PMU, SPE_PMU, writeIbs } from './constructed.js';
import { PerfDataWriter } from './perf-data-writer.js';

const COMPARED = [
  'time',
  'ip',
  'address',
  'physicalAddress',
  'period',
  'weight',
  'dataSource',
  'pid',
  'tid',
  'cpu',
  'misc',
  'instructionLatency',
  'sizeBytes',
] as const satisfies readonly ColumnName[];
const NEOVERSE_N1 = '0x00000000413fd0c1';
const NO_KNOWN_CORE = '0x00000000480fd010';

/** Samples, and a digest of all that they say. */
function summarise(recording: Buffer): string {
  const { columns, tables } = collect(recording);
  const lines = columns.time.map((_, row) =>
    [...COMPARED.map((name) => columns[name][row]), splitDataSource(BigInt(columns.dataSource[row])).servedBy].join(
      ' ',
    ),
  );
  const digest = createHash('sha256').update([...lines, JSON.stringify(tables.lost)].join('\n'));
  return `${lines.length} ${digest.digest('hex').slice(0, 16)}`;
}

test.each([
  ['what the kernel derived', true, '3000 ae0980e53937ce61'],
  ['registers alone', false, '3000 da8fdac82f03be8d'],
] as const)('IBS: %s', (_, hasDataSource, expected) => {
  expect(summarise(constructIbs({ seed: 8, samples: 3000, hasDataSource }))).toBe(expected);
});

function drawIbs(cpuId: string): Buffer {
  const random = new RandomNumbers(9);
  const writer = new PerfDataWriter({ cpuId, pmus: { cpu: 4, ibs_op: IBS_PMU } });
  const fields = F.identifier | F.ip | F.tid | F.time | F.address | F.cpu | F.period | F.raw;
  const event = writer.event({ name: 'ibs_op//', type: IBS_PMU, period: 20_000n, ids: [31n], fields });
  const word = (): bigint => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
  for (let index = 0; index < 4000; index++) {
    const registers = writeIbs(writer, {
      capabilities: random.pick([0x3ff, 0xfff]),
      data: word(),
      data2: word() & (random.chance(50) ? 0xffn : ~0n),
      data3: word() & (random.chance(50) ? ~0n : ~0x4000n),
      ip: word(),
      address: word(),
      physicalAddress: word(),
    });
    writer.sample(event, {
      time: BigInt(index),
      ip: word(),
      address: random.chance(50) ? 0n : word(),
      raw: random.chance(5) ? registers.subarray(0, 52) : registers,
    });
  }
  return writer.finish();
}

test.each([
  ['AuthenticAMD,25,17,1', '4000 f5139f0d9b75d028'],
  ['AuthenticAMD,25,1,1', '4000 117e3c0767397d13'],
  ['AuthenticAMD,25,33,2', '4000 5f8a80e03023ac7b'],
  ['AuthenticAMD,23,49,0', '4000 f5139f0d9b75d028'],
  ['AuthenticAMD,26,2,1', '4000 f5139f0d9b75d028'],
])('IBS registers drawn bit by bit, %s', (cpuId, expected) => {
  expect(summarise(drawIbs(cpuId))).toBe(expected);
});

function recordSpe(cpuId: string, buffers: readonly Buffer[]): Buffer {
  const writer = new PerfDataWriter({ architecture: 'aarch64', cpuId, pmus: { arm_spe_0: SPE_PMU } });
  writer.event({ name: 'arm_spe_0//', type: SPE_PMU, fields: F.ip | F.tid | F.time, ids: [1n] });
  writer.record(RecordType.auxtraceInfo, 0, writer.builder().u32(4).u32(0).u64(BigInt(SPE_PMU)).u64(1).take());
  for (const buffer of buffers) writer.spe(SPE_PMU, 0, buffer);
  return writer.finish();
}

/** Headers of packets as often as any byte, so that many records begin and few end. */
function drawPackets(): Buffer[] {
  const random = new RandomNumbers(12);
  const headers = [
    0x00, 0x01, 0x71, 0xb0, 0xb2, 0xb3, 0x49, 0x4a, 0x52, 0x42, 0x43, 0x53, 0x64, 0x98, 0x99, 0x20, 0x21, 0xf0,
  ];
  return Array.from({ length: 40 }, () =>
    Buffer.from(Array.from({ length: 4000 }, () => (random.chance(50) ? random.pick(headers) : random.below(256)))),
  );
}

test('SPE, as a recording has it', () => {
  expect(summarise(constructSpe({ seed: 11, samples: 3000 }))).toBe('2504 03a58a7b73bb85c7');
});

test.each([
  ['sources numbered', NEOVERSE_N1, '256 215875fd7da406b7'],
  ['by events', NO_KNOWN_CORE, '256 ce8e0f46730b00d9'],
])('SPE packets drawn at random, %s', (_, cpuId, expected) => {
  expect(summarise(recordSpe(cpuId, drawPackets()))).toBe(expected);
});
