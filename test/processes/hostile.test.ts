// Traces that cannot go together, and MAPPINGS chunks that cannot be: one line and a hint each.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { combineTraces } from '../../src/replay/combine-traces.js';
import { openTrace } from '../../src/replay/open-trace.js';
import { readMappings, type Mapping } from '../../src/trace/mapping-chunk.js';
import { LAYOUT, MappingKind } from '../../src/trace/layout.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { TraceWriter } from '../trace/trace-writer.js';
import { dprof, makeFolder } from '../cli/command-line.js';
import { traceFile } from '../random/trace-file.js';

const open = (options: ConstructorParameters<typeof TraceWriter>[0], mappings: readonly Mapping[] = []) => {
  const writer = new TraceWriter(options);
  if (mappings.length > 0) writer.mappings(mappings);
  return openTrace(traceFile(writer.finish()));
};

test('traces of different clocks or boots, and the same process twice, are refused', () => {
  expect(() => combineTraces([open({ pid: 1 }), open({ pid: 2, stampsPerSecond: 2_000_000_000 })])).toThrow(
    /different machines: 1000000000 and 2000000000 stamps a second/,
  );
  const boot = (id: string) => ({ command: ['a'], executable: 'a', boot: id });
  expect(() => combineTraces([open({ pid: 1, process: boot('x') }), open({ pid: 2, process: boot('y') })])).toThrow(
    /different machines: boots x and y/,
  );
  expect(() => combineTraces([open({ pid: 1 }), open({ pid: 2 }), open({ pid: 1 })])).toThrow(
    /is of the same process as/,
  );
});

const row = (fields: Partial<Record<'address' | 'bytes' | 'offset', bigint> & { kind: number }>): Buffer => {
  const bytes = Buffer.alloc(LAYOUT.dprof_chunk_mapping.size);
  const { address = 0x1000n, bytes: length = 4096n, offset = 0n, kind = MappingKind.file } = fields;
  bytes.writeBigUInt64LE(address, LAYOUT.dprof_chunk_mapping.address);
  bytes.writeBigUInt64LE(length, LAYOUT.dprof_chunk_mapping.bytes);
  bytes.writeBigUInt64LE(offset, LAYOUT.dprof_chunk_mapping.offset);
  bytes.writeUInt32LE(kind, LAYOUT.dprof_chunk_mapping.kind);
  return bytes;
};

test.each([
  ['an address that no process has', row({ address: 1n << 47n }), 'address of a mapping at offset 108'],
  ['no bytes', row({ bytes: 0n }), 'bytes of a mapping at offset 116'],
  ['an end that overflows', row({ bytes: 0xffff_ffff_ffff_ffffn }), 'bytes of a mapping at offset 116'],
  ['an offset that no file has', row({ offset: 1n << 63n }), 'offset of a mapping at offset 140'],
  ['a kind that is unknown', row({ kind: 3 }), 'kind of a mapping at offset 148'],
  ['half a row', row({}).subarray(0, 30), 'MAPPINGS chunk at offset 100'],
])('a mapping with %s is refused', (_, payload, message) => {
  expect(() => readMappings(payload, 100)).toThrow(TraceError);
  expect(() => readMappings(payload, 100)).toThrow(message);
});

test('mappings over one another, by the hundred and with files as long as can be, end in time', () => {
  const nested = Array.from(
    { length: 300 },
    (_, i): Mapping => ({
      stamp: BigInt(i >> 1),
      address: i * 16,
      bytes: 2 ** 40 - i * 32,
      kind: MappingKind.file,
      device: 0n,
      inode: BigInt(i % 3),
      offset: 2 ** 45 * (i % 2),
    }),
  );
  const { processes } = combineTraces([open({ pid: 1 }, nested), open({ pid: 2 }, nested)]);
  expect(
    processes?.map(({ shared }) =>
      shared.begin.every((begin, piece) => begin < shared.end[piece] && shared.from[piece] < shared.to[piece]),
    ),
  ).toEqual([true, true]);
});

test('the command line: a folder without traces, a profile among traces, one trace twice', () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'none'));
  expect(dprof('report', join(folder, 'none')).stderr).toMatch(/^dprof: no traces in /);
  const trace = join(folder, 'a.dptrace');
  writeFileSync(trace, new TraceWriter().finish());
  expect(dprof('replay', trace, trace, '-o', join(folder, 'p')).stderr).toMatch(
    /a\.dptrace is of the same process as .*\n.*name each trace once/,
  );
  expect(dprof('replay', trace, '-o', join(folder, 'a.dprofile')).status).toBe(0);
  expect(dprof('report', trace, join(folder, 'a.dprofile')).stderr).toMatch(
    /is a profile, and only traces are replayed together/,
  );
  expect(dprof('dump', trace, trace).stderr).toMatch(/several traces as they are in their files are no text of one/);
});
