// The parts of a recording beside its samples, whatever its byte order and wherever it was written to; and files of
// samples, which say all of it again.

import { describe, expect, test } from 'vitest';
import { RecordType, SampleField } from '../../src/hardware/import/perf-layout.js';
import { MappedCode } from '../../src/hardware/samples/mapped-code.js';
import { COLUMN_NAMES } from '../../src/hardware/samples/samples.js';
import { SamplesError } from '../../src/hardware/samples/samples-error.js';
import { decodeSamples, loadColumns } from '../../src/hardware/samples/samples-reader.js';
import { splitDataSource } from '../../src/hardware/samples/data-source.js';
import { SamplesWriter } from '../../src/hardware/samples/samples-writer.js';
import { readSamples } from '../../src/hardware/import/import-samples.js';
import { bytesOfBuffer } from '../../src/profile/byte-source.js';
import { collect } from './collect.js';
import { BUILD_ID, constructIbs, constructPebs, constructSpe, PROGRAM } from './constructed.js';
import { PerfDataWriter } from './perf-data-writer.js';

const F = SampleField;

describe('of PEBS', () => {
  const little = collect(constructPebs());

  test('tables', () => {
    const { run, events, names, threads, lost, mappings } = little.tables;
    expect(run).toEqual({
      origin: 'perf.data',
      hostname: 'constructed',
      kernel: '6.12.0',
      architecture: 'x86_64',
      cpu: 'a constructed processor',
      cpuId: 'GenuineIntel,6,106,6',
      perfVersion: '6.12',
      command: ['perf', 'record'],
      clock: -1,
      isBigEndian: false,
    });
    expect(
      events.map(({ name, source, type, config, address, period, preciseIp }) => ({
        name,
        source,
        type,
        config,
        address,
        period,
        preciseIp,
      })),
    ).toEqual([
      {
        name: 'cpu/mem-loads,ldlat=30/P',
        source: 'pebs',
        type: 4,
        config: '0x1cd',
        address: '0x1e',
        period: '0x4e20',
        preciseIp: 3,
      },
      {
        name: 'cpu/mem-stores/P',
        source: 'pebs',
        type: 4,
        config: '0x82d0',
        address: '0x0',
        period: '0xc350',
        preciseIp: 3,
      },
    ]);
    expect(events[0].samples + events[1].samples).toBe(200);
    expect(names.map(({ tid, name }) => [tid, name])).toEqual([
      [4000, 'constructed'],
      [4001, 'a worker'],
    ]);
    expect(threads.map(({ kind, tid, parentTid }) => [kind, tid, parentTid])).toEqual([
      ['fork', 4001, 4000],
      ['exit', 4001, 4000],
    ]);
    expect(mappings).toEqual([
      {
        time: '5000000000',
        pid: 4000,
        start: '0x400000',
        bytes: '0x100000',
        fileOffset: '0x0',
        file: PROGRAM,
        buildId: BUILD_ID,
        isExecutable: true,
        isKernel: false,
      },
    ]);
    expect(lost).toEqual({ records: 3, samples: 2, throttles: 0, truncatedAux: 0, outOfOrder: 0, skipped: {} });
  });

  test.each([
    ['big-endian', { isLittle: false }],
    ['from a pipe', { isPipe: true }],
    ['big-endian, from a pipe', { isLittle: false, isPipe: true }],
    ['compressed', { isCompressed: true }],
    ['compressed, big-endian', { isCompressed: true, isLittle: false }],
    [
      'with other fields between',
      { moreFields: 0x10 | 0x20 | F.raw | 0x800 | 0x1000 | 0x2000 | 0x2_0000 | 0x4_0000 | 0x20_0000 },
    ],
  ])('the same %s', (_, options) => {
    const { columns, tables } = collect(constructPebs(options));
    expect(columns).toEqual(little.columns);
    expect({
      ...tables,
      run: { ...tables.run, isBigEndian: false },
      events: tables.events.map(({ name }) => name),
    }).toEqual({ ...little.tables, events: little.tables.events.map(({ name }) => name) });
  });
});

test('events say which fields their samples have, also those that come of registers and packets', () => {
  const fieldsOf = (recording: Buffer): readonly string[][] =>
    collect(recording).tables.events.map(({ source, fields }) => [source, ...fields]);
  expect(fieldsOf(constructPebs())).toEqual([
    [
      'pebs',
      'ip',
      'thread',
      'time',
      'address',
      'cpu',
      'period',
      'weightStruct',
      'dataSource',
      'physicalAddress',
      'dataPageSize',
    ],
    ['pebs', 'ip', 'thread', 'time', 'address', 'cpu', 'period', 'weight', 'dataSource', 'physicalAddress'],
  ]);
  expect(fieldsOf(constructIbs())).toEqual([
    ['ibs', 'ip', 'thread', 'time', 'address', 'cpu', 'period', 'weightStruct', 'dataSource', 'physicalAddress', 'raw'],
  ]);
  expect(fieldsOf(constructIbs({ hasDataSource: true }))).toEqual([
    ['ibs', 'ip', 'thread', 'time', 'address', 'cpu', 'period', 'weight', 'dataSource', 'physicalAddress', 'raw'],
  ]);
  for (const pmus of [{ arm_spe_0: 7 } as Record<string, number>, {}])
    expect(fieldsOf(constructSpe({ pmus }))).toEqual([
      ['spe', 'ip', 'thread', 'time', 'address', 'cpu', 'period', 'weight', 'dataSource', 'physicalAddress'],
    ]);
});

test('samples of ids that nobody announced are left out and counted', () => {
  const writer = new PerfDataWriter();
  for (const id of [1n, 2n])
    writer.event({ name: `e${id}`, type: 4, fields: F.identifier | F.ip | F.tid | F.time, ids: [id] });
  writer.sample(0, { id: 1n, ip: 5n, time: 1n });
  writer.sample(0, { id: 7n, ip: 6n, time: 2n });
  writer.record(23, 0, Buffer.alloc(8));
  const { columns, tables } = collect(writer.finish());
  expect(columns.ip).toEqual([5n]);
  expect(tables.lost.skipped).toEqual({
    'samples of no known event': 1,
    'records of the kernel that this dprof does not know': 1,
  });
});

test('a recording that perf record could not finish is read as far as it goes', () => {
  const whole = constructPebs({ samples: 64 });
  const dataAt = Number(whole.readBigUInt64LE(40));
  const unfinished = Buffer.from(whole.subarray(0, dataAt + 2000));
  unfinished.writeBigUInt64LE(0n, 48);
  unfinished.fill(0, 72, 104);
  const { columns, tables } = collect(unfinished);
  expect(columns.time.length).toBe(18);
  const times = collect(whole).columns.time;
  expect(columns.time.every((time) => times.includes(time))).toBe(true);
  expect(tables.lost.skipped).toEqual({ 'perf record did not finish: what its last buffers held': 1 });
});

describe('where an address was mapped', () => {
  const recording = (): PerfDataWriter => {
    const writer = new PerfDataWriter();
    writer.event({ name: 'e', type: 4, fields: F.tid | F.time, ids: [1n] });
    return writer;
  };
  const fileAt = (writer: PerfDataWriter) => {
    const code = new MappedCode(collect(writer.finish()).tables);
    return (pid: number, address: bigint, time: bigint): string => {
      const place = code.find(pid, address, time);
      return place === undefined ? '-' : `${place.mapping.file}+${place.offset} ${place.mapping.buildId}`;
    };
  };

  test('mappings, over each other, in processes, forks and execs', () => {
    const writer = recording();
    writer.mmap2(1, 0x1000n, 0x3000n, 0n, 'first', 10n);
    writer.mmap2WithBuildId(1, 0x2000n, 0x1000n, 'second', 'aabb', 20n);
    writer.change('fork', 2, 2, 1, 1, 30n);
    writer.mmap(1, 0x2000n, 0x1000n, 0x500n, 'third', 40n);
    writer.comm(2, 2, 'child', 50n, 1 << 13);
    const find = fileAt(writer);
    expect([find(1, 0x2004n, 5n), find(1, 0x2004n, 10n), find(1, 0x2004n, 25n), find(2, 0x2004n, 25n)]).toEqual([
      '-',
      'first+4100 ',
      'second+4 aabb',
      '-',
    ]);
    expect([
      find(2, 0x2004n, 35n),
      find(2, 0x2004n, 45n),
      find(1, 0x2004n, 45n),
      find(1, 0x3004n, 45n),
      find(2, 0x2004n, 55n),
    ]).toEqual(['second+4 aabb', 'second+4 aabb', 'third+1284 ', 'first+8196 ', '-']);
  });

  test('of processes that ran before, all is said at time 0', () => {
    const writer = recording();
    writer.mmap2(1, 0x1000n, 0x1000n, 0n, 'parent', 0n);
    writer.mmap2(2, 0x1000n, 0x1000n, 0n, 'child', 0n);
    writer.change('fork', 2, 2, 1, 1, 0n);
    const find = fileAt(writer);
    expect([find(1, 0x1004n, 1n), find(2, 0x1004n, 1n)]).toEqual(['parent+4 ', 'child+4 ']);
  });

  test('the kernel', () => {
    const writer = recording();
    writer.mmap2(0xffffffff, 0xffff_ffff_8100_0000n, 0x1000n, 0x10n, '[kernel.kallsyms]_text', 0n, 1);
    const find = fileAt(writer);
    expect([find(7, 0xffff_ffff_8100_0004n, 1n), find(7, 0xffff_ffff_8100_1004n, 1n)]).toEqual([
      '[kernel.kallsyms]_text+20 ',
      '-',
    ]);
  });
});

test('SPE of another socket', () => {
  const writer = new PerfDataWriter({ architecture: 'aarch64', cpuId: '0x00000000410fd0c0', pmus: { arm_spe_0: 7 } });
  writer.event({ name: 'arm_spe_0//', type: 7, fields: F.ip | F.tid | F.time, ids: [1n] });
  writer.record(RecordType.auxtraceInfo, 0, writer.builder().u32(4).u32(0).u64(7).u64(1).take());
  // A load from EL1, source 13, latency 99; of no address.
  writer.spe(
    7,
    3,
    Buffer.from('b0 10 32 54 76 98 ba dc 80 | 49 00 | 43 0d | 98 63 00 | 01'.replaceAll(/[ |]/g, ''), 'hex'),
  );
  const { columns } = collect(writer.finish());
  expect({ ip: columns.ip, cpu: columns.cpu, weight: columns.weight, dataSource: columns.dataSource }).toEqual({
    ip: [0xdcba9876543210n],
    cpu: [3],
    weight: [99n],
    dataSource: [0xb600008002n],
  });
});

test('SPE packets of the kernel, cut ones and ones that are none', () => {
  const writer = new PerfDataWriter({ architecture: 'aarch64', cpuId: '', pmus: { arm_spe_0: 7 } });
  writer.event({ name: 'arm_spe_0//', type: 7, fields: F.ip | F.tid | F.time, ids: [1n] });
  writer.record(RecordType.auxtraceInfo, 0, writer.builder().u32(4).u32(0).u64(7).u64(1).take());
  const store = 'b0 00 10 00 00 00 00 ff a0 | 49 01 | 52 04 02 | b2 08 00 00 00 00 00 f0 5a | 01';
  writer.spe(7, 0, Buffer.from(`${store} | ff | ${store} | b0 00`.replaceAll(/[ |]/g, ''), 'hex'));
  const { columns, tables } = collect(writer.finish());
  expect(columns.ip).toEqual([0xffff_0000_0000_1000n, 0xffff_0000_0000_1000n]);
  expect(columns.address).toEqual([0xfff0_0000_0000_0008n, 0xfff0_0000_0000_0008n]);
  // Events 2 and 9: accessed the L1, missed the last level.
  const stored = { operation: 4, level: 0x44 };
  expect(columns.dataSource.map((source) => splitDataSource(BigInt(source)))).toMatchObject([stored, stored]);
  expect(tables.lost.skipped).toEqual({ 'bytes that begin no SPE packet': 2 });
});

test.each([
  ['PEBS', constructPebs({ samples: 70_000 })],
  ['IBS', constructIbs()],
  ['SPE', constructSpe()],
  ['nothing', constructIbs({ samples: 0 })],
])('a file of samples says all again: %s', (_, recording) => {
  const parts: Buffer[] = [];
  const writer = new SamplesWriter({ write: (part) => void parts.push(Buffer.from(part)) });
  writer.finish(readSamples(bytesOfBuffer(recording), (columns, rows) => writer.add(columns, rows)));
  const read = decodeSamples(Buffer.concat(parts));
  const { columns, tables } = collect(recording);
  expect(read.tables).toEqual(tables);
  expect(read.rows).toBe(columns.time.length);
  const loaded = loadColumns(read);
  for (const name of COLUMN_NAMES) expect([...loaded[name]], name).toEqual(columns[name]);
});

describe('refused', () => {
  const refusal = (recording: Buffer): string => {
    try {
      collect(recording);
    } catch (error) {
      if (error instanceof SamplesError) return error.message;
      throw error;
    }
    return 'read';
  };

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['a file without bytes', () => Buffer.alloc(0), 'perf.data at offset 0: expected "PERFILE2", found an empty file'],
    [
      'a perf.data of before 2010',
      (bytes) => Buffer.concat([Buffer.from('PERFFILE'), bytes.subarray(8)]),
      'perf.data magic at offset 0: expected "PERFILE2", found "PERFFILE"',
    ],
    ['half a header', (bytes) => bytes.subarray(0, 20), 'perf.data header at offset 16: expected 8 bytes, found 4'],
    [
      'a header of another size',
      (bytes) => set(bytes, 8, 105n),
      'perf.data header at offset 8: expected a size of 16 or 104 bytes, found 105',
    ],
    [
      'attributes behind the end',
      (bytes) => set(bytes, 24, 1n << 40n),
      'event attributes section at offset 24: expected an end of at most 2988 bytes, found 1099511627776 and 288 more',
    ],
    [
      'attributes of no size',
      (bytes) => set(bytes, 16, 8n),
      'perf.data header at offset 16: expected event attributes of at least 80 bytes, found 8',
    ],
    [
      'sample fields of a later kernel',
      (bytes) => set(bytes, 104 + 24, 1n << 40n),
      'event attributes at offset 128: expected sample fields among 0x1ffffff, found 0x10000000000',
    ],
    [
      'a record of no size',
      (bytes) => set(bytes, 424, 0n),
      'record at offset 430: expected a size of at least 8 bytes, found 0',
    ],
  ])('%s', (_, change, message) => {
    expect(refusal(change(constructPebs({ samples: 8 })))).toBe(message);
  });

  test('what is compressed with too large a window, in itself, or twice', () => {
    const writer = (payload: Buffer): Buffer => {
      const one = new PerfDataWriter();
      one.event({ name: 'e', type: 4, fields: F.time, ids: [1n] });
      one.record(RecordType.compressed, 0, payload);
      return one.finish();
    };
    const frame = (descriptor: number, window: number, ...blocks: number[]): Buffer =>
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, descriptor, window, ...blocks);
    expect(refusal(writer(frame(0, 0xa0)))).toBe(
      'compressed records at offset 270: expected a window of at most 8388608 bytes, found 1073741824',
    );
    expect(refusal(writer(Buffer.alloc(20)))).toBe(
      'compressed records at offset 264: expected a zstd frame, found 0x0',
    );
    // A last block of 16 bytes: a COMPRESSED record without content, and the end of a round.
    const inner = [0x81, 0, 0, 81, 0, 0, 0, 0, 0, 8, 0, 68, 0, 0, 0, 0, 0, 8, 0];
    expect(refusal(writer(frame(0, 0x48, ...inner)))).toBe(
      'compressed records at offset 8: expected records, found compressed records inside them',
    );
    expect(refusal(writer(Buffer.concat([frame(0, 0x48, 1, 0, 0), frame(0, 0x48, 1, 0, 0)])))).toBe(
      'compressed records at offset 273: expected one zstd frame, found another behind it',
    );
  });
});

function set(bytes: Buffer, at: number, value: bigint): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeBigUInt64LE(value, at);
  return changed;
}
