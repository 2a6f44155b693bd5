// Stage: trace -> replay. The header of a trace file: which version, machine and process.

import { crc32 } from 'node:zlib';
import { LAYOUT, TRACE_FLAG_ASLR, TRACE_MAGIC, TRACE_VERSION, TRACE_VERSION_NAMES } from './layout.js';
import { TraceError } from './trace-error.js';
import type { TraceFile } from './trace-file.js';

export interface TraceHeader {
  readonly version: number;
  readonly versionName: string;
  readonly stampsPerSecond: number;
  readonly startTimeNs: bigint;
  readonly architecture: 'x86-64' | 'aarch64' | 'unknown';
  /** Address randomisation was on. */
  readonly aslr: boolean;
  readonly pageBytes: number;
  readonly pid: number;
}

const FILE = LAYOUT.dprof_trace_header;
const ARCHITECTURES = ['unknown', 'x86-64', 'aarch64'] as const;
export const NEWER_HINT =
  `this dprof reads version ${TRACE_VERSION} ("${TRACE_VERSION_NAMES[TRACE_VERSION]}"): read the trace with the ` +
  'dprof that recorded it, or a newer one';
const OLDER_HINT = 'recorded by an older dprof; record again';

export function readHeader(file: TraceFile): TraceHeader {
  const bytes = file.read(0, FILE.size);
  const magic = bytes.subarray(0, 8).toString('latin1');
  if (magic !== TRACE_MAGIC) {
    throw new TraceError(
      `${file.path}: not a dprof trace: magic`,
      0,
      `"${TRACE_MAGIC}"`,
      bytes.length === 0 ? 'an empty file' : JSON.stringify(magic),
      'name a *.dptrace file that dprof record wrote',
    );
  }
  if (bytes.length < FILE.size)
    throw new TraceError(
      `${file.path}: file header`,
      0,
      `${FILE.size} bytes`,
      `${bytes.length}`,
      'the recording ended before it began; record again',
    );
  const version = bytes.readUInt32LE(FILE.version);
  if (version !== TRACE_VERSION) {
    const hint = version > TRACE_VERSION ? NEWER_HINT : OLDER_HINT;
    throw new TraceError(
      `${file.path}: trace version`,
      FILE.version,
      nameVersion(TRACE_VERSION),
      nameVersion(version),
      hint,
    );
  }
  const features = bytes.readBigUInt64LE(FILE.features);
  if (features !== 0n)
    throw new TraceError(`${file.path}: trace features`, FILE.features, '0', `0x${features.toString(16)}`, NEWER_HINT);
  const checksum = crc32(bytes.subarray(0, FILE.checksum));
  if (checksum !== bytes.readUInt32LE(FILE.checksum)) {
    throw new TraceError(
      `${file.path}: checksum of the file header`,
      FILE.checksum,
      hex(checksum),
      hex(bytes.readUInt32LE(FILE.checksum)),
    );
  }
  const headerBytes = bytes.readUInt32LE(FILE.header_bytes);
  if (headerBytes !== FILE.size)
    throw new TraceError(`${file.path}: header size`, FILE.header_bytes, `${FILE.size}`, `${headerBytes}`);
  return {
    version,
    versionName: TRACE_VERSION_NAMES[version],
    stampsPerSecond: Number(bytes.readBigUInt64LE(FILE.stamps_per_second)),
    startTimeNs: bytes.readBigUInt64LE(FILE.start_time_ns),
    architecture: ARCHITECTURES[bytes.readUInt32LE(FILE.architecture)] ?? 'unknown',
    aslr: (bytes.readUInt32LE(FILE.flags) & TRACE_FLAG_ASLR) !== 0,
    pageBytes: bytes.readUInt32LE(FILE.page_bytes),
    pid: bytes.readUInt32LE(FILE.pid),
  };
}

/** `2 ("paths")`; a version of the future has no name yet. */
function nameVersion(version: number): string {
  const name = TRACE_VERSION_NAMES[version];
  return name ? `${version} ("${name}")` : `${version}`;
}

export function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
