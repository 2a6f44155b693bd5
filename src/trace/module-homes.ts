// Stage: trace -> replay. Modules whose units another trace of the same recording has: that trace's file is looked for
// in the folder of the one that points to it, and each module is read once for all traces that are opened together.

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readChunk, readChunkEntry } from './chunk-reader.js';
import { ChunkKind, LAYOUT } from './layout.js';
import { readModule, type ModuleChunk, type ModuleHome } from './module-chunk.js';
import { TraceError } from './trace-error.js';
import { TraceFile } from './trace-file.js';
import { hex, readHeader, type TraceHeader } from './trace-header.js';

const HOME = LAYOUT.dprof_chunk_module_home;

interface Units {
  readonly units: Uint8Array;
  /** Only once it was needed. */
  checksum?: number;
}

export class ModuleHomes {
  private readonly known = new Map<string, Units>();

  /** What others may point to. */
  add(path: string, header: TraceHeader, modules: readonly ModuleChunk[]): void {
    for (const { number, units, home } of modules)
      if (home === undefined) this.known.set(nameOf(path, header, number), { units });
  }

  /** The units that a module of the trace at `path` shares with another trace. */
  unitsOf(path: string, home: ModuleHome): Uint8Array {
    const file = join(dirname(path), home.file);
    const name = nameOf(file, home, home.module);
    let found = this.known.get(name);
    if (found === undefined) this.known.set(name, (found = readUnits(path, file, home)));
    found.checksum ??= crc32(found.units);
    if (found.checksum !== home.checksum)
      throw refusal(path, home, HOME.units_checksum, `units with ${hex(home.checksum)}`, hex(found.checksum));
    return found.units;
  }
}

function nameOf(path: string, { startTimeNs, pid }: Pick<TraceHeader, 'startTimeNs' | 'pid'>, module: number): string {
  return JSON.stringify([path, String(startTimeNs), pid, module]);
}

function readUnits(path: string, named: string, home: ModuleHome): Units {
  // a recorder that still writes the trace gives it its name at the end
  const isThere = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isFile() === true;
  const found = [named, `${named}.incomplete`].find(isThere);
  if (found === undefined) throw refusal(path, home, HOME.size, `the trace ${named}`, 'no such file');
  const file = TraceFile.open(found);
  try {
    const { startTimeNs, pid } = readHeader(file);
    if (startTimeNs !== home.startTimeNs || pid !== home.pid) {
      const expected = `${found} of process ${home.pid}, which began at ${home.startTimeNs}`;
      throw refusal(path, home, HOME.start_time_ns, expected, `process ${pid}, which began at ${startTimeNs}`);
    }
    const units = findModule(file, home.module);
    if (units === undefined)
      throw refusal(path, home, HOME.module, `module ${home.module} in ${found}`, 'a trace without it');
    return { units };
  } finally {
    file.close();
  }
}

function findModule(file: TraceFile, module: number): Uint8Array | undefined {
  for (let offset: number = LAYOUT.dprof_trace_header.size, number = 0; ; ) {
    const entry = readChunkEntry(file, offset);
    if (entry === undefined) return undefined;
    if (entry.kind === ChunkKind.module && number === module) {
      const payload = readChunk(file, offset)?.payload;
      return payload && readModule(`${file.path}: MODULE chunk`, payload, entry.offset, module).units;
    }
    if (entry.kind === ChunkKind.module || entry.kind === ChunkKind.commonModule) number++;
    offset = entry.offset + entry.bytes;
  }
}

function refusal(path: string, home: ModuleHome, at: number, expected: string, actual: string): TraceError {
  return new TraceError(
    `${path}: module that another trace of its recording has`,
    home.offset + at,
    expected,
    actual,
    `keep ${home.file} of the same recording in the folder of this trace; it holds the types of both`,
  );
}
