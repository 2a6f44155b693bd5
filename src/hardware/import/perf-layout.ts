// Stage: hardware. Numbers of perf.data: the kernel's records and sample fields (linux/perf_event.h), those that perf
// adds (its perf.data-file-format.txt), and the features behind the data.

/** "PERFILE2"; a file of the other byte order has it backwards. */
export const FILE_MAGIC = 'PERFILE2';
export const FILE_MAGIC_SWAPPED = '2ELIFREP';
/** Magics that perf wrote before 2010, in either byte order. */
export const OLD_MAGICS = ['PERFFILE', 'ELIFFREP'];

export const RecordType = {
  mmap: 1,
  lost: 2,
  comm: 3,
  exit: 4,
  throttle: 5,
  fork: 7,
  sample: 9,
  mmap2: 10,
  aux: 11,
  itraceStart: 12,
  lostSamples: 13,
  switch: 14,
  switchCpuWide: 15,
  attribute: 64,
  eventType: 65,
  tracingData: 66,
  buildId: 67,
  finishedRound: 68,
  idIndex: 69,
  auxtraceInfo: 70,
  auxtrace: 71,
  auxtraceError: 72,
  threadMap: 73,
  cpuMap: 74,
  statConfig: 75,
  stat: 76,
  statRound: 77,
  eventUpdate: 78,
  timeConversion: 79,
  feature: 80,
  compressed: 81,
  finishedInit: 82,
  compressed2: 83,
} as const;

/** Records that say nothing of samples: known, and passed over. */
export const IGNORED_RECORDS: ReadonlySet<number> = new Set([
  6, 8, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 65, 73, 74, 75, 76, 77, 82, 69,
]);

export const SampleField = {
  ip: 1,
  tid: 2,
  time: 4,
  address: 8,
  read: 0x10,
  callchain: 0x20,
  id: 0x40,
  cpu: 0x80,
  period: 0x100,
  streamId: 0x200,
  raw: 0x400,
  branchStack: 0x800,
  userRegisters: 0x1000,
  userStack: 0x2000,
  weight: 0x4000,
  dataSource: 0x8000,
  identifier: 0x1_0000,
  transaction: 0x2_0000,
  interruptRegisters: 0x4_0000,
  physicalAddress: 0x8_0000,
  aux: 0x10_0000,
  cgroup: 0x20_0000,
  dataPageSize: 0x40_0000,
  codePageSize: 0x80_0000,
  weightStruct: 0x100_0000,
} as const;
/** Higher ones are not known here, and where they stand in a sample is not either. */
export const KNOWN_SAMPLE_FIELDS = 0x1ff_ffff;

export const ReadFormat = { timeEnabled: 1, timeRunning: 2, id: 4, group: 8, lost: 16 } as const;
export const BRANCH_HARDWARE_INDEX = 1 << 17;
export const BRANCH_COUNTERS = 1 << 19;

/** Bits of a record's `misc`. */
export const CPU_MODE = 7;
export const MODE_KERNEL = 1;
export const MISC_BUILD_ID = 1 << 14;
export const MISC_EXEC = 1 << 13;
export const MISC_BUILD_ID_SIZE = 1 << 15;

export const Feature = {
  buildId: 2,
  hostname: 3,
  kernel: 4,
  perfVersion: 5,
  architecture: 6,
  cpu: 8,
  cpuId: 9,
  command: 11,
  eventDescriptions: 12,
  pmuMappings: 16,
  directory: 24,
} as const;

export const EventType = { hardware: 0, software: 1, tracepoint: 2, cache: 3, raw: 4, breakpoint: 5 } as const;
export const AUXTRACE_ARM_SPE = 4;
