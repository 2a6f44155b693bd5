// Stage: test. The sampler, which knows the fields that it asks the kernel for, and the importer, which knows whatever
// any perf asked for, find the same fields in the same constructed records, through rings of several sizes.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAmdModel } from '../../../src/hardware/import/ibs-op.js';
import { SampleField } from '../../../src/hardware/import/perf-layout.js';
import type { ColumnName } from '../../../src/hardware/samples/samples.js';
import { collect } from '../collect.js';
import { constructIbs, constructPebs } from '../constructed.js';
import { PerfDataWriter } from '../perf-data-writer.js';
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
