// Stage: steps -> trace. The mirror of trace-reader.ts: a whole trace file in memory, from units, globals and steps.

import { crc32 } from 'node:zlib';
import { packColumn } from '../../src/trace/column.js';
import { CHUNK_MAGIC, ChunkKind, LAYOUT, TRACE_MAGIC, TRACE_VERSION } from '../../src/trace/layout.js';
import { EventEncoder, type EncodedStep } from './event-encoder.js';
import type { Mapping } from '../../src/trace/mapping-chunk.js';
import type { ModuleGlobal, ModuleHome } from '../../src/trace/module-chunk.js';

const FILE = LAYOUT.dprof_trace_header;
const CHUNK = LAYOUT.dprof_chunk_header;
const MODULE = LAYOUT.dprof_chunk_module;
const GLOBAL = LAYOUT.dprof_chunk_global;
const HOME = LAYOUT.dprof_chunk_module_home;
const MAPPING = LAYOUT.dprof_chunk_mapping;

export class TraceWriter {
  private readonly parts: Buffer[];
  private readonly threads: { encoder: EventEncoder; sequence: number }[] = [];
  private modules = 0;

  constructor(options: { stampsPerSecond?: number; pid?: number; process?: Record<string, unknown> } = {}) {
    this.parts = [writeFileHeader(options.stampsPerSecond ?? 1_000_000_000, options.pid ?? 1)];
    this.chunk(
      ChunkKind.process,
      Buffer.from(
        JSON.stringify(options.process ?? { command: ['drawn'], executable: 'drawn', cpus: 1, randomised: false }),
      ),
    );
  }

  /** `buildId`: hexadecimal. */
  module(path: string, units: readonly Uint8Array[], globals: readonly ModuleGlobal[], buildId = ''): void {
    const id = Buffer.from(buildId, 'hex');
    const begin = this.moduleBegin(path, globals, id.length);
    this.chunk(ChunkKind.module, Buffer.concat([begin, packColumn(Buffer.concat(units)), id]));
  }

  /** A module whose units are in another trace. */
  commonModule(path: string, globals: readonly ModuleGlobal[], home: Omit<ModuleHome, 'offset'>, buildId = ''): void {
    const id = Buffer.from(buildId, 'hex');
    const name = Buffer.from(home.file, 'utf8');
    const bytes = Buffer.alloc(HOME.size);
    bytes.writeBigUInt64LE(home.startTimeNs, HOME.start_time_ns);
    bytes.writeUInt32LE(home.pid, HOME.pid);
    bytes.writeUInt32LE(home.module, HOME.module);
    bytes.writeUInt32LE(home.checksum, HOME.units_checksum);
    bytes.writeUInt32LE(name.length, HOME.file_bytes);
    this.chunk(ChunkKind.commonModule, Buffer.concat([this.moduleBegin(path, globals, id.length), bytes, name, id]));
  }

  private moduleBegin(path: string, globals: readonly ModuleGlobal[], buildIdBytes: number): Buffer {
    const name = Buffer.from(path, 'utf8');
    const bytes = Buffer.alloc(MODULE.size + name.length + globals.length * GLOBAL.size);
    bytes.writeUInt32LE(this.modules++, MODULE.module);
    bytes.writeUInt32LE(name.length, MODULE.path_bytes);
    bytes.writeUInt32LE(globals.length, MODULE.globals_count);
    bytes.writeUInt32LE(buildIdBytes, MODULE.build_id_bytes);
    name.copy(bytes, MODULE.size);
    globals.forEach((global, index) => {
      const at = MODULE.size + name.length + index * GLOBAL.size;
      bytes.writeBigUInt64LE(global.address, at + GLOBAL.address);
      bytes.writeUInt32LE(global.unit, at + GLOBAL.unit);
      bytes.writeUInt32LE(global.variable, at + GLOBAL.variable);
    });
    return bytes;
  }

  /** Shared memory, one chunk. */
  mappings(rows: readonly Mapping[]): void {
    const bytes = Buffer.alloc(rows.length * MAPPING.size);
    rows.forEach(({ stamp, address, bytes: length, device, inode, offset, kind }, index) => {
      const at = index * MAPPING.size;
      const words = { stamp, address: BigInt(address), bytes: BigInt(length), device, inode, offset: BigInt(offset) };
      for (const [name, value] of Object.entries(words))
        bytes.writeBigUInt64LE(value, at + MAPPING[name as keyof typeof words]);
      bytes.writeUInt32LE(kind, at + MAPPING.kind);
    });
    this.chunk(ChunkKind.mappings, bytes);
  }

  /** One chunk of the thread. */
  events(thread: number, steps: readonly EncodedStep[]): void {
    const state = (this.threads[thread] ??= { encoder: new EventEncoder(), sequence: 0 });
    this.chunk(ChunkKind.events, state.encoder.encodeChunk(steps), thread, state.sequence++);
  }

  /** The same, as a chunk that needs none of those before it. */
  restart(thread: number, steps: readonly EncodedStep[]): void {
    const state = (this.threads[thread] ??= { encoder: new EventEncoder(), sequence: 0 });
    state.encoder = new EventEncoder();
    this.chunk(ChunkKind.restart, state.encoder.encodeChunk(steps), thread, state.sequence++);
  }

  /** The file so far: what a recorder that was killed would have left. */
  unfinished(): Buffer {
    return Buffer.concat(this.parts);
  }

  finish(end: Record<string, unknown> = { exit: 0 }): Buffer {
    this.chunk(ChunkKind.end, Buffer.from(JSON.stringify(end)));
    return this.unfinished();
  }

  chunk(kind: number, payload: Buffer, thread = 0, sequence = 0): void {
    const header = Buffer.alloc(CHUNK.size);
    header.writeUInt32LE(CHUNK_MAGIC, CHUNK.magic);
    header.writeUInt16LE(kind, CHUNK.kind);
    header.writeUInt32LE(thread, CHUNK.thread);
    header.writeUInt32LE(sequence, CHUNK.sequence);
    header.writeUInt32LE(payload.length, CHUNK.payload_bytes);
    header.writeUInt32LE(crc32(payload), CHUNK.payload_checksum);
    header.writeUInt32LE(crc32(header.subarray(0, CHUNK.header_checksum)), CHUNK.header_checksum);
    this.parts.push(header, payload);
  }
}

function writeFileHeader(stampsPerSecond: number, pid: number): Buffer {
  const header = Buffer.alloc(FILE.size);
  header.write(TRACE_MAGIC, FILE.magic, 'latin1');
  header.writeUInt32LE(TRACE_VERSION, FILE.version);
  header.writeUInt32LE(FILE.size, FILE.header_bytes);
  header.writeBigUInt64LE(BigInt(stampsPerSecond), FILE.stamps_per_second);
  header.writeUInt32LE(1, FILE.architecture);
  header.writeUInt32LE(4096, FILE.page_bytes);
  header.writeUInt32LE(pid, FILE.pid);
  header.writeUInt32LE(crc32(header.subarray(0, FILE.checksum)), FILE.checksum);
  return header;
}
