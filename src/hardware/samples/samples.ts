// Stage: hardware. What a sampling run says, as plain data: columns of samples in order of time, and tables of what
// they refer to. Addresses, times and periods are 64 bits and stay exact; what a sample does not say is 0, and
// `SampledEvent.fields` says which those are.

export const ELEMENTS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  f64: Float64Array,
} as const;
export type Element = keyof typeof ELEMENTS;
export type Column = Uint8Array | Uint16Array | Uint32Array | BigUint64Array | Float64Array;

/** Every column of samples, in file order. docs/hardware-samples.md defines them. */
export const COLUMNS = {
  time: 'u64',
  ip: 'u64',
  address: 'u64',
  physicalAddress: 'u64',
  period: 'u64',
  weight: 'u64',
  dataSource: 'u64',
  dataPageSize: 'u64',
  pid: 'u32',
  tid: 'u32',
  cpu: 'u32',
  event: 'u16',
  misc: 'u16',
  instructionLatency: 'u16',
  retireLatency: 'u16',
  sizeBytes: 'u8',
  // In files whose samples have their types (typed-samples.ts): rows of its tables; else 0.
  type: 'u32',
  offset: 'u64',
  place: 'u32',
} as const satisfies Record<string, Element>;

export type ColumnName = keyof typeof COLUMNS;
type Arrays = { u8: Uint8Array; u16: Uint16Array; u32: Uint32Array; u64: BigUint64Array; f64: Float64Array };
export type ColumnsOf<Names extends Readonly<Record<string, Element>>> = {
  readonly [Name in keyof Names]: Arrays[Names[Name]];
};
export type SampleColumns = ColumnsOf<typeof COLUMNS>;

export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

/** `cpu`, `pid` and `tid` of a sample that says none. */
export const NOWHERE = 0xffffffff;

/** `make` is asked for each column in its order; it returns one of that element. */
export function makeColumnsOf<Names extends Readonly<Record<string, Element>>>(
  names: Names,
  make: (name: string, element: Element) => Column,
): ColumnsOf<Names> {
  const columns: Partial<Record<keyof Names, Column>> = {};
  for (const name in names) columns[name] = make(name, names[name]);
  return columns as ColumnsOf<Names>;
}

export function makeColumns(rows: number): SampleColumns {
  return makeColumnsOf(COLUMNS, (_, element) => new ELEMENTS[element](rows));
}

/** The fields that a sample may have. */
export const FIELDS = [
  'ip',
  'thread',
  'time',
  'address',
  'cpu',
  'period',
  'weight',
  'weightStruct',
  'dataSource',
  'physicalAddress',
  'dataPageSize',
  'raw',
] as const;
export type Field = (typeof FIELDS)[number];

/** Who takes the samples: `breakpoint` is a debug register, `other` an event that is not of memory. */
export const SOURCES = ['pebs', 'ibs', 'spe', 'breakpoint', 'other'] as const;
export type Source = (typeof SOURCES)[number];

export interface SampledEvent {
  readonly name: string;
  readonly source: Source;
  readonly fields: readonly Field[];
  /** As perf_event_attr has them; the 64-bit ones in hexadecimal. */
  readonly type: number;
  readonly config: string;
  /** `config1` and `config2`: for a breakpoint, its address and length. */
  readonly address: string;
  readonly length: string;
  readonly period: string;
  /** The period is a frequency, in samples per second. */
  readonly isFrequency: boolean;
  readonly preciseIp: number;
  readonly samples: number;
}

/** A file, or anonymous memory, in a process's addresses from `time` on. */
export interface Mapping {
  readonly time: string;
  readonly pid: number;
  readonly start: string;
  readonly bytes: string;
  readonly fileOffset: string;
  readonly file: string;
  /** Hexadecimal; empty where nobody said. */
  readonly buildId: string;
  readonly isExecutable: boolean;
  readonly isKernel: boolean;
}

/** A thread is called `name` from `time` on. */
export interface ThreadName {
  readonly time: string;
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly isExec: boolean;
}

export interface ThreadChange {
  readonly time: string;
  readonly kind: 'fork' | 'exit';
  readonly pid: number;
  readonly tid: number;
  readonly parentPid: number;
  readonly parentTid: number;
}

/** Counts of records that are not among the samples, by who noticed it. */
export interface LostCounts {
  /** PERF_RECORD_LOST: records that found no room in the kernel's buffer. */
  readonly records: number;
  /** PERF_RECORD_LOST_SAMPLES: samples that the processor or kernel dropped. */
  readonly samples: number;
  readonly throttles: number;
  /** AUX records that say that their data was cut short, or collided. */
  readonly truncatedAux: number;
  /** Samples that came too late to be put in order; they are there, behind later ones. */
  readonly outOfOrder: number;
  /** By what they were: samples of events or operations that are not taken over, records of unknown kinds. */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface SamplingRun {
  /** perf.data, perf-script or dprof. */
  readonly origin: string;
  readonly hostname: string;
  readonly kernel: string;
  readonly architecture: string;
  readonly cpu: string;
  readonly cpuId: string;
  readonly perfVersion: string;
  readonly command: readonly string[];
  /** A clock of clock_gettime; -1: perf's own. */
  readonly clock: number;
  readonly isBigEndian: boolean;
}

/** Everything but the samples. */
export interface SampleTables {
  readonly run: SamplingRun;
  readonly events: readonly SampledEvent[];
  readonly mappings: readonly Mapping[];
  readonly names: readonly ThreadName[];
  readonly threads: readonly ThreadChange[];
  readonly lost: LostCounts;
}
