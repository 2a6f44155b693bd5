// Stage: hardware. The bits of perf_mem_data_src's parts, as linux/perf_event.h numbers them.

export const Operation = { notAvailable: 1, load: 2, store: 4, prefetch: 8, execute: 16 } as const;
export const Level = {
  notAvailable: 1,
  hit: 2,
  miss: 4,
  l1: 8,
  lfb: 0x10,
  l2: 0x20,
  l3: 0x40,
  localMemory: 0x80,
  remoteMemory1: 0x100,
  remoteMemory2: 0x200,
  remoteCache1: 0x400,
  remoteCache2: 0x800,
  io: 0x1000,
  uncached: 0x2000,
} as const;
export const LevelNumber = {
  l1: 1,
  l2: 2,
  l3: 3,
  l4: 4,
  l2MissBuffer: 5,
  memorySideCache: 6,
  l0: 7,
  uncached: 8,
  cxl: 9,
  io: 10,
  anyCache: 11,
  lfb: 12,
  memory: 13,
  persistentMemory: 14,
  notAvailable: 15,
} as const;
/** `forward` and `peer` are the kernel's snoopx, behind its five bits of snoop. */
export const Snoop = { notAvailable: 1, none: 2, hit: 4, miss: 8, hitModified: 16, forward: 32, peer: 64 } as const;
export const Lock = { notAvailable: 1, locked: 2 } as const;
export const Tlb = { notAvailable: 1, hit: 2, miss: 4, l1: 8, l2: 16, walker: 32, os: 64 } as const;
export const Blocked = { notAvailable: 1, data: 2, address: 4 } as const;

/** The parts of one data source, each a sum of bits or a number of its table above. */
export interface DataSourceParts {
  readonly operation: number;
  readonly level: number;
  readonly levelNumber: number;
  readonly snoop: number;
  readonly tlb: number;
  readonly lock: number;
  readonly remote: number;
  readonly blocked: number;
  /** One more than the hops; 0: not said. */
  readonly hops: number;
}
