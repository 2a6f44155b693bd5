// Stage: histories. The bytes of runtime/include/dprof/histories_format.h: magic, chunks, columns in file order.

export const HISTORIES_MAGIC = 'DPROFHIS';
export const HISTORIES_VERSION = 1;
export const HISTORIES_VERSION_NAMES: readonly string[] = ['', 'first'];
export const HEADER_BYTES = 32;
export const HistoriesChunk = { run: 1, type: 2, places: 3, rows: 4, end: 5 } as const;

type Element = 'u8' | 'u32' | 'u64' | 'stamp';

export const ELEMENT_BYTES = { u8: 1, u32: 4, u64: 8, stamp: 8 } as const;

/** `u64` fits a double (addresses, nanoseconds since boot); a `stamp` may not. */
export const ROW_COLUMNS = {
  type: 'u32',
  set: 'u32',
  watch: 'u32',
  partner: 'u32',
  address: 'u64',
  bytes: 'u64',
  element: 'u64',
  allocatedIp: 'u64',
  allocatedStamp: 'stamp',
  allocatedNs: 'u64',
  allocatedThread: 'u32',
  allocatedCpu: 'u32',
  armedNs: 'u64',
  endedIp: 'u64',
  endedNs: 'u64',
  endedThread: 'u32',
  endedCpu: 'u32',
  ending: 'u8',
  elements: 'u32',
} as const satisfies Record<string, Element>;

export const ELEMENT_COLUMNS = {
  offset: 'u32',
  width: 'u8',
  ip: 'u64',
  cpu: 'u32',
  thread: 'u32',
  timeNs: 'u64',
} as const satisfies Record<string, Element>;
