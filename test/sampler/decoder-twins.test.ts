// Stage: test. The sampler's decoder (C++) and the importer's (TypeScript) read the same samples from the same
// constructed records, through rings of several sizes.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAmdModel } from '../../src/hardware/import/ibs-op.js';
import type { PerfEvent } from '../../src/hardware/import/event-table.js';
import { RecordType, SampleField } from '../../src/hardware/import/perf-layout.js';
import { SampleRows } from '../../src/hardware/import/sample-rows.js';
import type { ColumnName } from '../../src/hardware/samples/samples.js';
import { numbersSources, readSpeSamples } from '../../src/hardware/import/spe-samples.js';
import { collect } from '../hardware/collect.js';
import { constructIbs, constructPebs, constructSpe, IBS_PMU, writeIbs } from '../hardware/constructed.js';
import { PerfDataWriter } from '../hardware/perf-data-writer.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { EVENT_PROBE } from './drawn-machine.js';

const COMPARED = [
  'time',
  'ip',
  'address',
  'physicalAddress',
  'dataPageSize',
  'period',
  'weight',
  'dataSource',
  'pid',
  'tid',
  'cpu',
  'misc',
  'instructionLatency',
  'retireLatency',
  'sizeBytes',
] as const satisfies readonly ColumnName[];
const {
  identifier,
  ip,
  tid,
  time,
  address,
  cpu,
  period,
  raw,
  weight,
  weightStruct,
  dataSource,
  physicalAddress,
  dataPageSize,
} = SampleField;
const COMMON = identifier | ip | tid | time | address | cpu | period;

interface Read {
  readonly ids: readonly number[];
  readonly fields: number;
  readonly origin: string;
}

/** perf.data's records as the kernel's rings had them. */
function recordsOf(recording: Buffer): Buffer {
  const at = Number(recording.readBigUInt64LE(40));
  return recording.subarray(at, at + Number(recording.readBigUInt64LE(48)));
}

function readNatively(recording: Buffer, ringBytes: number, events: readonly Read[], cpuId = ''): string[] {
  const { family, model } = parseAmdModel(cpuId);
  const words = events.flatMap(({ ids, fields, origin }) => ids.flatMap((id) => [id, fields, origin]));
  const lines = execFileSync(EVENT_PROBE, ['records', ringBytes, family, model, ...words].map(String), {
    input: recordsOf(recording),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
    .trim()
    .split('\n');
  return lines
    .map((line) => {
      const sample = JSON.parse(line) as Record<string, number | string>;
      const event = events.findIndex(({ ids }) => ids.includes(sample.id as number));
      return [event, ...COMPARED.map((name) => String(sample[name]))].join(' ');
    })
    .sort();
}

function readHere(recording: Buffer): string[] {
  const { columns } = collect(recording);
  return columns.time
    .map((_, row) => [columns.event[row], ...COMPARED.map((name) => String(columns[name][row]))].join(' '))
    .sort();
}

test.each([4096, 8192, 65536])('PEBS, a ring of %i bytes', (ringBytes) => {
  const recording = constructPebs({ seed: 7, samples: 3000 });
  const samples = readNatively(recording, ringBytes, [
    { ids: [11, 12], fields: COMMON | dataSource | weightStruct | physicalAddress | dataPageSize, origin: 'pebs' },
    { ids: [21, 22], fields: COMMON | dataSource | weight | physicalAddress, origin: 'pebs' },
  ]);
  expect(samples.length).toBe(3000);
  expect(samples).toEqual(readHere(recording));
});

test.each([
  ['what the kernel derived', true],
  ['registers alone', false],
] as const)('IBS: %s', (_, hasDataSource) => {
  const recording = constructIbs({ seed: 8, samples: 3000, hasDataSource });
  const samples = readNatively(
    recording,
    16384,
    [{ ids: [31], fields: COMMON | raw | (hasDataSource ? dataSource | weight : 0), origin: 'ibs' }],
    'AuthenticAMD,25,17,1',
  );
  expect(samples.length).toBe(3000);
  expect(samples).toEqual(readHere(recording));
});

test.each([
  'AuthenticAMD,25,17,1',
  'AuthenticAMD,25,1,1',
  'AuthenticAMD,25,33,2',
  'AuthenticAMD,23,49,0',
  'AuthenticAMD,26,2,1',
])('IBS registers drawn bit by bit, %s', (cpuId) => {
  const random = new RandomNumbers(9);
  const writer = new PerfDataWriter({ cpuId, pmus: { cpu: 4, ibs_op: IBS_PMU } });
  const event = writer.event({ name: 'ibs_op//', type: IBS_PMU, period: 20_000n, ids: [31n], fields: COMMON | raw });
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
  const recording = writer.finish();
  expect(readNatively(recording, 65536, [{ ids: [31], fields: COMMON | raw, origin: 'ibs' }], cpuId)).toEqual(
    readHere(recording),
  );
});

test('a sample shorter than its fields is told apart', () => {
  const writer = new PerfDataWriter();
  const event = writer.event({ name: 'short', type: 4, ids: [1n], fields: COMMON });
  writer.sample(event, {});
  const recording = writer.finish();
  const lines = execFileSync(EVENT_PROBE, ['records', '4096', '0', '0', '1', String(COMMON | dataSource), 'pebs'], {
    input: recordsOf(recording),
    encoding: 'utf8',
  });
  expect(lines).toBe('{"id":1,"short":true}\n');
});

const SPE_COMPARED = [
  'time',
  'ip',
  'address',
  'physicalAddress',
  'weight',
  'dataSource',
  'tid',
] as const satisfies readonly ColumnName[];
const NEOVERSE_N1 = '0x00000000413fd0c1';
const NO_KNOWN_CORE = '0x00000000480fd010';

function readSpeHere(bytes: Buffer, midr: string): string[] {
  const rows = new SampleRows();
  const time = { shift: 0n, multiplier: 1n, zero: 0n, cycles: 0n, mask: 0n, isShort: false };
  const event = { index: 0, samples: 0 } as PerfEvent;
  const { others, badBytes, cutRecords } = readSpeSamples(
    bytes,
    { event, cpu: 0, tid: 0, time, hasSourceNumbers: numbersSources(midr), pidOf: () => 0 },
    rows,
    () => rows.end(),
  );
  return [
    ...Array.from({ length: rows.count }, (_, row) =>
      SPE_COMPARED.map((name) => String(rows.columns[name][row])).join(' '),
    ),
    `${others} ${badBytes} ${cutRecords}`,
  ];
}

function readSpeNatively(bytes: Buffer, midr: string): string[] {
  const lines = execFileSync(EVENT_PROBE, ['spe', midr], { input: bytes, encoding: 'utf8', maxBuffer: 1 << 26 })
    .trim()
    .split('\n');
  return lines.map((line) => {
    const read = JSON.parse(line) as Record<string, number | string>;
    return 'others' in read
      ? `${read.others} ${read.badBytes} ${read.cutRecords}`
      : SPE_COMPARED.map((name) => String(read[name])).join(' ');
  });
}

/** AUXTRACE records: their data stands behind them. */
function speBuffers(recording: Buffer): Buffer[] {
  const records = recordsOf(recording);
  const found: Buffer[] = [];
  for (let at = 0; at < records.length; ) {
    const bytes = records.readUInt16LE(at + 6);
    const data = records.readUInt32LE(at) === RecordType.auxtrace ? Number(records.readBigUInt64LE(at + 8)) : 0;
    if (data > 0) found.push(records.subarray(at + bytes, at + bytes + data));
    at += bytes + data;
  }
  return found;
}

test.each([
  ['sources numbered', NEOVERSE_N1],
  ['by events', NO_KNOWN_CORE],
])('SPE, %s', (_, midr) => {
  const buffers = speBuffers(constructSpe({ seed: 11, samples: 3000 }));
  expect(buffers.length).toBe(2);
  for (const buffer of buffers) {
    const read = readSpeNatively(buffer, midr);
    expect(read.length).toBeGreaterThan(1000);
    expect(read).toEqual(readSpeHere(buffer, midr));
  }
});

test('SPE: bytes drawn at random, and records that are damaged', () => {
  const random = new RandomNumbers(12);
  const headers = [
    0x00, 0x01, 0x71, 0xb0, 0xb2, 0xb3, 0x49, 0x4a, 0x52, 0x42, 0x43, 0x53, 0x64, 0x98, 0x99, 0x20, 0x21, 0xf0,
  ];
  for (let index = 0; index < 40; index++) {
    const bytes = Buffer.from(
      Array.from({ length: 4000 }, () => (random.chance(50) ? random.pick(headers) : random.below(256))),
    );
    expect(readSpeNatively(bytes, NEOVERSE_N1)).toEqual(readSpeHere(bytes, NEOVERSE_N1));
  }
  const [whole] = speBuffers(constructSpe({ seed: 13, samples: 400 }));
  for (let index = 0; index < 40; index++) {
    const damaged = Buffer.from(whole);
    for (let change = 0; change < 20; change++) damaged[random.below(damaged.length)] = random.below(256);
    expect(readSpeNatively(damaged, NO_KNOWN_CORE)).toEqual(readSpeHere(damaged, NO_KNOWN_CORE));
  }
});
