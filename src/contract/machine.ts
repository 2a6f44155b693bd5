// Stage: replay. The simulated machine as plain data; every engine takes exactly this. docs/machines.md says what each
// word means.

export const POLICIES = ['lru', 'tree-plru', 'bit-plru', 'srrip', 'fifo', 'random'] as const;
export type Policy = (typeof POLICIES)[number];
export const INCLUSIONS = ['non-inclusive', 'inclusive', 'exclusive'] as const;
export type Inclusion = (typeof INCLUSIONS)[number];
export const PROTOCOLS = ['mesi', 'moesi', 'mesif'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
export const PREFETCHERS = ['next-line', 'adjacent-line', 'stride'] as const;
export type Prefetcher = (typeof PREFETCHERS)[number];
export const COLOURINGS = ['virtual', 'first-touch', 'random'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export interface CacheLevel {
  readonly sizeBytes: number;
  readonly ways: number;
  readonly latencyCycles: number;
  /** The policy that chooses the line that leaves a full set. */
  readonly policy?: Policy;
  /** The part of the levels above that the level holds too (L2: of its L1s; LLC: of its L2s and L1s). */
  readonly inclusion?: Inclusion;
  /** L1 and L2 only. */
  readonly prefetchers?: readonly Prefetcher[];
}

export interface TlbLevel {
  readonly entries: number;
  readonly ways: number;
}

/**
 * True LRU; one for each L1. A reference that misses both costs `walkLatencyCycles` more, one that misses only the
 * first `l2LatencyCycles`.
 */
export interface Tlb {
  readonly l1: TlbLevel;
  /** None: a miss of the first level walks. */
  readonly l2?: TlbLevel;
  readonly l2LatencyCycles: number;
  readonly walkLatencyCycles: number;
}

/**
 * Fields without `?` are needed by every machine; complete-machine.ts says what the others are where they are not
 * there.
 */
export interface Machine {
  readonly name: string;
  readonly cores: number;
  readonly lineBytes: number;
  readonly l1: CacheLevel;
  readonly l2: CacheLevel;
  readonly llc: CacheLevel;
  /** Cores that share one LLC; `cores` (or more) for a single LLC. LLC number of core c: floor(c / coresPerLlc). */
  readonly coresPerLlc: number;
  readonly memoryLatencyCycles: number;
  readonly cacheToCacheLatencyCycles: number;
  /** Consecutive cores (SMT siblings) that share one L1. A divisor of `coresPerL2`. */
  readonly coresPerL1?: number;
  /**
   * Consecutive cores that share one L2. Default: coresPerL1. A divisor of `coresPerLlc`, if there are several LLCs.
   */
  readonly coresPerL2?: number;
  /** Consecutive cores on one socket. Default: all. A multiple of `coresPerLlc`. */
  readonly coresPerSocket?: number;
  /**
   * Served by a cache, or by memory, of another socket. Defaults: as on the own one. A page's memory is at the socket
   * that touched it first.
   */
  readonly remoteCacheLatencyCycles?: number;
  readonly remoteMemoryLatencyCycles?: number;
  readonly protocol?: Protocol;
  /** Default: no TLB is simulated. */
  readonly tlb?: Tlb;
  /** The page size of the TLBs, of colouring and of first touch: 4096 or 2097152. */
  readonly pageBytes?: number;
  /** The rule that chooses a page's sets: its address, the time of its first touch, or chance. */
  readonly colouring?: Colouring;
  /** The seed of random replacement and random colouring: 32 bits. */
  readonly seed?: number;
}

/** Not always whole: a machine is checked in src/machine. */
export function setsOf({ sizeBytes, ways }: CacheLevel, lineBytes: number): number {
  return sizeBytes / (ways * lineBytes);
}

export function isPowerOfTwo(number: number): boolean {
  return number >= 1 && Number.isInteger(Math.log2(number));
}

export const LEVELS = ['l1', 'l2', 'llc'] as const;
export type LevelName = (typeof LEVELS)[number];
export const CLASSES = ['compulsory', 'true-sharing', 'false-sharing', 'conflict', 'capacity'] as const;
export type MissClass = (typeof CLASSES)[number];
export const DPROF_RULES = ['invalidation', 'conflict', 'capacity'] as const;
export const SERVERS = ['l1', 'l2', 'llc', 'cache', 'memory', 'remote-cache', 'remote-memory'] as const;
export type Server = (typeof SERVERS)[number];
/** Who serves references on the machine: on one socket nothing is remote. */
export function serversOf(machine: Machine): readonly Server[] {
  return SERVERS.filter((server) => machine.coresPerSocket !== undefined || !server.startsWith('remote'));
}

/** `seed`: a whole number below 2^32. */
export type Schedule =
  | { readonly kind: 'logical' }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'random'; readonly seed: number };
