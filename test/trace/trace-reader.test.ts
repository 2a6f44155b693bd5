// Whole files: what a reader gets from a good one, and what it says about each way a file can be bad.

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { openTrace, type OpenedTrace } from '../../src/replay/open-trace.js';
import { ChunkKind, EventCode, LAYOUT } from '../../src/trace/layout.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { readTrace } from '../../src/trace/trace-reader.js';
import { TraceWriter } from './trace-writer.js';
import { readUnits } from '../../src/trace/unit-reader.js';
import { rowsOf } from './unit-rows.js';
import { writeUnit } from './unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';
import { RandomNumbers } from '../random/random-numbers.js';
import { randomProgram } from '../random/random-program.js';
import { randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

function smallTrace(): TraceWriter {
  const builder = new UnitBuilder();
  const long = builder.type('scalar', 'long', 8);
  const counter = builder.variable('global', 'counter', long, 8);
  builder.alone('segment', [builder.slot('load', { sizeBytes: 8, type: long, variable: counter })]);
  const writer = new TraceWriter({ process: { command: ['./a', 'b'], executable: '/a', cpus: 2, randomised: false } });
  writer.module('/a', [writeUnit(builder.unit)], [{ address: 0x4000n, unit: 0, variable: counter }], 'c0ffee');
  writer.events(0, [{ path: 0, words: [0x4000n] }]);
  writer.events(2, [{ code: EventCode.blocked, stamp: 5n }]);
  writer.events(0, [{ path: 0, words: [0x4000n] }]);
  return writer;
}

function failure(bytes: Uint8Array): unknown {
  try {
    return openTrace(traceFile(bytes));
  } catch (error) {
    return error;
  }
}

/** Patches bytes of the file header and mends its checksum. */
function withHeader(at: number, value: number): Buffer {
  const bytes = Buffer.from(smallTrace().finish());
  bytes.writeUInt32LE(value, at);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

describe('a whole trace', () => {
  it('gives header, process, modules, threads by number and how it ended', () => {
    const trace = openTrace(traceFile(smallTrace().finish({ exit: 3 })));
    expect(trace).toMatchObject({
      truncated: false,
      end: { exit: 3 },
      process: { command: ['./a', 'b'], executable: '/a' },
      header: { version: 3, versionName: 'loops', architecture: 'x86-64', aslr: false, pageBytes: 4096 },
    });
    expect(trace.modules.map(({ path, buildId }) => [path, buildId])).toEqual([['/a', 'c0ffee']]);
    expect(trace.threads.map((chunks) => chunks.offset.length)).toEqual([2, 0, 1]);
    expect(trace.catalog.globals.address[0]).toBe(0x4000n);
    expect(trace.catalog.variables.name[trace.catalog.globals.variable[0]]).toBe('counter');
  });

  it('chunk offsets are those of payloads', () => {
    const bytes = smallTrace().finish();
    const { threads } = openTrace(traceFile(bytes));
    const at = threads[2].offset[0];
    expect(bytes.readUInt32LE(at - 32)).toBe(0x4b435044);
    expect(crc32(bytes.subarray(at, at + threads[2].bytes[0]))).toBe(bytes.readUInt32LE(at - 12));
  });
});

describe('the beginning of a file in docs/trace-format.md', () => {
  const section = readFileSync('docs/trace-format.md', 'utf8').split('## File\n')[1].split('\n## ')[0];
  const bytes = Buffer.from(
    [...section.matchAll(/^ {4}((?:[0-9a-f]{2} {1,2})+) /gm)].map(([, digits]) => digits.replaceAll(' ', '')).join(''),
    'hex',
  );

  it('is what its words say, with both checksums; the payload is cut', () => {
    const { header, truncated, chunks } = readTrace(traceFile(bytes));
    expect(header).toEqual({
      version: 3,
      versionName: 'loops',
      stampsPerSecond: 2_445_423_512,
      startTimeNs: 0x18ea_960a_923b_54aan,
      architecture: 'x86-64',
      aslr: false,
      pageBytes: 4096,
      pid: 14_758,
    });
    expect({ truncated, chunks }).toEqual({ truncated: true, chunks: [] });
    const { kind, payload_bytes: payload, size } = LAYOUT.dprof_chunk_header;
    expect(bytes.readUInt16LE(64 + kind)).toBe(ChunkKind.process);
    expect(bytes.readUInt32LE(64 + payload)).toBe(265);
    expect(bytes.toString('latin1', 64 + size)).toBe('{"command"');
  });

  it('its table has every kind of chunk', () => {
    const kinds = [...section.matchAll(/^\| (\d) \| ([A-Z_]+) \|/gm)].map(([, kind, name]) => [
      name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      Number(kind),
    ]);
    expect(Object.fromEntries(kinds)).toEqual(ChunkKind);
  });
});

describe('a trace that was cut short', () => {
  const whole = smallTrace().finish();
  const unfinished = smallTrace().unfinished();

  it('loads up to its last whole chunk, wherever it was cut', () => {
    const counts = new Set<string>();
    for (let bytes = 64; bytes < whole.length; bytes++) {
      const trace = openTrace(traceFile(whole.subarray(0, bytes)));
      expect(trace.truncated).toBe(true);
      expect(trace.end).toBeNull();
      expect(trace.endOffset).toBeLessThanOrEqual(bytes);
      counts.add(trace.threads.map((chunks) => chunks.offset.length).join());
    }
    expect([...counts]).toEqual(['', '1', '1,0,1', '2,0,1']);
  });

  it('zeros behind the last chunk, and a last chunk that never got its bytes, are a cut', () => {
    expect(failure(Buffer.concat([unfinished, Buffer.alloc(5000)]))).toMatchObject({
      truncated: true,
      endOffset: unfinished.length,
    });
    const lastChunk = Buffer.from(unfinished);
    lastChunk.fill(0, lastChunk.length - 10);
    expect(failure(lastChunk)).toMatchObject({ truncated: true });
  });
});

describe('what is refused, with offset, expected and actual', () => {
  it('a file of something else, an empty one, a folder and none at all', () => {
    expect(failure(Buffer.from('#!/bin/sh\necho hello, this is no trace at all\n'.repeat(3)))).toMatchObject({
      name: 'TraceError',
      offset: 0,
      expected: '"DPROFTRC"',
      actual: '"#!/bin/s"',
    });
    expect(failure(Buffer.alloc(0))).toMatchObject({ offset: 0, actual: 'an empty file' });
    expect(() => openTrace('/')).toThrow(DprofError);
    expect(() => openTrace('/no/such/file')).toThrow(/cannot read \/no\/such\/file/);
    expect(failure(smallTrace().finish().subarray(0, 63))).toMatchObject({ expected: '64 bytes', actual: '63' });
  });

  it('a newer version and an unknown feature, naming what this one reads', () => {
    expect(failure(withHeader(8, 4))).toMatchObject({
      offset: 8,
      expected: '3 ("loops")',
      actual: '4',
      hint: expect.stringContaining('a newer one'),
    });
    expect(failure(withHeader(16, 4))).toMatchObject({ offset: 16, expected: '0', actual: '0x4' });
  });

  it('a command that is no list of words', () => {
    const of = (command: unknown): unknown =>
      failure(new TraceWriter({ process: { command, executable: '' } as never }).finish());
    expect(of('ls')).toMatchObject({
      name: 'TraceError',
      offset: 96,
      expected: 'a command, which is a list of words',
      actual: '"ls"',
    });
    expect(of([{ toString: 1 }])).toMatchObject({ actual: '[{"toString":1}]' });
    expect(of(undefined)).toMatchObject({ actual: 'none' });
  });

  it('a byte that changed anywhere is never taken for a whole trace without damage', () => {
    const whole = smallTrace().finish();
    const wrong: number[] = [];
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] ^= 0x40;
      const outcome = failure(bytes);
      const { truncated, damaged } = outcome as OpenedTrace;
      if (!(outcome instanceof TraceError) && !truncated && damaged === null) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });

  it('a damaged chunk of the program, a module or the end names its offset', () => {
    const whole = smallTrace().finish();
    const { chunks } = readTrace(traceFile(whole));
    for (const { kind, offset } of chunks.filter(({ kind }) => kind !== ChunkKind.events)) {
      const bytes = Buffer.from(whole);
      bytes[offset + 3] ^= 1;
      const at = { name: 'TraceError', offset: offset - 12 };
      expect(failure(bytes), `kind ${kind}`).toMatchObject(kind === ChunkKind.end ? { truncated: true } : at);
    }
  });

  it('chunks in the wrong order, of an unknown kind, of absurd threads or sizes, behind the end', () => {
    const events = (thread: number, sequence: number) => (writer: TraceWriter) =>
      writer.chunk(ChunkKind.events, Buffer.alloc(8), thread, sequence);
    const after = (change: (writer: TraceWriter) => void): unknown => {
      const writer = smallTrace();
      change(writer);
      return failure(writer.finish());
    };
    expect(after(events(1, 1))).toMatchObject({ expected: '0', actual: '1' });
    expect(after(events(0xffff_ffff, 0))).toMatchObject({ expected: 'below 1048576', actual: '4294967295' });
    expect(after((writer) => writer.chunk(9, Buffer.alloc(1)))).toMatchObject({ expected: '1 to 7', actual: '9' });
    expect(after((writer) => writer.chunk(ChunkKind.process, Buffer.from('{}')))).toMatchObject({
      actual: 'kind 1 as chunk 5',
    });
    expect(after((writer) => writer.chunk(ChunkKind.end, Buffer.from('{}')))).toMatchObject({
      expected: 'the end of the file after the END chunk',
    });
    expect(after((writer) => writer.chunk(ChunkKind.module, Buffer.alloc(16)))).toMatchObject({
      expected: '1',
      actual: '0',
    });
  });

  it('a MODULE chunk whose counts point outside', () => {
    const module = Buffer.alloc(24);
    module.writeUInt32LE(1, 0);
    module.writeUInt32LE(0x1000_0000, 8);
    const writer = smallTrace();
    writer.chunk(ChunkKind.module, module);
    expect(failure(writer.finish())).toMatchObject({
      expected: 'path and globals within 24 bytes',
      actual: '0 bytes of path and 268435456 globals',
    });
  });

  it('a MODULE chunk whose only global ends one byte behind it', () => {
    const module = Buffer.alloc(LAYOUT.dprof_chunk_module.size + LAYOUT.dprof_chunk_global.size - 1);
    module.writeUInt32LE(1, LAYOUT.dprof_chunk_module.module);
    module.writeUInt32LE(1, LAYOUT.dprof_chunk_module.globals_count);
    const writer = smallTrace();
    writer.chunk(ChunkKind.module, module);
    expect(failure(writer.finish())).toMatchObject({
      name: 'TraceError',
      expected: `path and globals within ${module.length} bytes`,
      actual: '0 bytes of path and 1 globals',
    });
  });

  it('a MODULE chunk whose build id is longer than the chunk, or begins in its globals', () => {
    const module = Buffer.alloc(24);
    module.writeUInt32LE(1, LAYOUT.dprof_chunk_module.module);
    for (const [bytes, message] of [
      [9, { expected: 'at most 8 bytes of build id', actual: '9' }],
      [8, { expected: 'at least 8 bytes', actual: '0' }],
    ] as const) {
      module.writeUInt32LE(bytes, LAYOUT.dprof_chunk_module.build_id_bytes);
      const writer = smallTrace();
      writer.chunk(ChunkKind.module, module);
      expect(failure(writer.finish())).toMatchObject(message);
    }
  });

  it('a process chunk that is no JSON', () => {
    const bytes = smallTrace().finish();
    const writer = new TraceWriter();
    expect(failure(Buffer.concat([writer.unfinished().subarray(0, 64), bytes.subarray(64 + 32)]))).toBeInstanceOf(
      TraceError,
    );
  });
});

describe('units', () => {
  it('what was written comes back', () => {
    const { unit } = randomProgram(new RandomNumbers(3));
    const bytes = writeUnit(unit);
    expect(readUnits(Buffer.concat([bytes, Buffer.alloc(32), bytes])).map(rowsOf)).toEqual([unit, unit]);
  });

  it('any damage is a TraceError or changes only what it says', () => {
    const bytes = writeUnit(randomProgram(new RandomNumbers(3)).unit);
    const random = new RandomNumbers(1);
    let refused = 0;
    for (let attempt = 0; attempt < 400; attempt++) {
      const damaged = Buffer.from(bytes);
      const at = attempt < 72 ? attempt : random.below(damaged.length);
      damaged[at] = random.below(256);
      try {
        readUnits(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(TraceError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});

it('random damage that mends its checksums ends in a DprofError or a result, never in another error', () => {
  const random = new RandomNumbers(9);
  for (let seed = 0; seed < 40; seed++) {
    const bytes = Buffer.from(randomTrace(seed % 8));
    const chunks = readTrace(traceFile(bytes)).chunks;
    const chunk = random.pick(chunks);
    for (let count = 0; count < 3; count++) bytes[chunk.offset + random.below(chunk.bytes)] = random.below(256);
    bytes.writeUInt32LE(crc32(bytes.subarray(chunk.offset, chunk.offset + chunk.bytes)), chunk.offset - 12);
    bytes.writeUInt32LE(crc32(bytes.subarray(chunk.offset - 32, chunk.offset - 4)), chunk.offset - 4);
    const outcome = failure(bytes);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DprofError);
  }
});
