// Stage: trace -> replay. A machine's description with every word said: what it leaves out is as the default machine
// has it. Engines get complete machines, so no other place spells a default.

import { LEVELS, isPowerOfTwo, setsOf, type CacheLevel, type LevelName, type Machine } from './machine.js';

export type CompleteLevel = Required<CacheLevel>;

export interface CompleteMachine extends Required<Omit<Machine, 'tlb' | LevelName>> {
  readonly l1: CompleteLevel;
  readonly l2: CompleteLevel;
  readonly llc: CompleteLevel;
  /** undefined: no TLB is simulated. */
  readonly tlb: Machine['tlb'];
}

/** The defaults of the words of every cache level. */
export const LEVEL_DEFAULTS = { policy: 'lru', inclusion: 'non-inclusive', prefetchers: [] } as const;

/** The defaults of the words that have the same default on every machine. */
export const MACHINE_DEFAULTS = {
  coresPerL1: 1,
  protocol: 'mesi',
  pageBytes: 4096,
  colouring: 'virtual',
  seed: 1,
} as const;

export function completeMachine(machine: Machine): CompleteMachine {
  const { cores, coresPerL1 = MACHINE_DEFAULTS.coresPerL1, cacheToCacheLatencyCycles, memoryLatencyCycles } = machine;
  return {
    ...MACHINE_DEFAULTS,
    coresPerL2: coresPerL1,
    coresPerSocket: cores,
    remoteCacheLatencyCycles: cacheToCacheLatencyCycles,
    remoteMemoryLatencyCycles: memoryLatencyCycles,
    ...said(machine),
    l1: completeLevel(machine.l1),
    l2: completeLevel(machine.l2),
    llc: completeLevel(machine.llc),
    tlb: machine.tlb,
  };
}

export function completeLevel(level: CacheLevel): CompleteLevel {
  return { ...LEVEL_DEFAULTS, ...said(level) };
}

/** Without words that are undefined. */
function said<T extends object>(words: T): T {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as T;
}

/**
 * Whether only its sizes, latencies and LLCs differ from the default machine, and every set number is some bits of the
 * line number: what the fast hierarchy can do. The page's size and the seed change nothing where there is no TLB, no
 * colouring, no chance and no other socket.
 */
export function isPlainMachine(machine: Machine): boolean {
  const complete = completeMachine(machine);
  const { cores, lineBytes, coresPerL1, coresPerL2, coresPerSocket, protocol, colouring, tlb } = complete;
  const isPlainLevel = (name: LevelName): boolean => {
    const { policy, inclusion, prefetchers } = complete[name];
    return (
      policy === LEVEL_DEFAULTS.policy &&
      inclusion === LEVEL_DEFAULTS.inclusion &&
      prefetchers.length === 0 &&
      isPowerOfTwo(setsOf(complete[name], lineBytes))
    );
  };
  return (
    coresPerL1 === 1 &&
    coresPerL2 === 1 &&
    coresPerSocket >= cores &&
    protocol === MACHINE_DEFAULTS.protocol &&
    colouring === MACHINE_DEFAULTS.colouring &&
    tlb === undefined &&
    LEVELS.every(isPlainLevel)
  );
}

/**
 * Why shards of the machine's lines (docs/replay/shards.md) are not what one replay is; null: they are, to the byte.
 */
export function whyNoShards(machine: Machine): string | null {
  if (isPlainMachine(machine)) return null;
  const levels = LEVELS.map((name) => completeMachine(machine)[name]);
  if (levels.some(({ prefetchers }) => prefetchers.length > 0)) return 'its prefetchers fetch lines of other shards';
  if (levels.some(({ policy }) => policy === 'random')) return 'random replacement draws for all sets in turn';
  return 'its caches are simulated one reference after the other, which no shard does yet';
}

/**
 * Whether both see the same references in the same batches (engine/machine/machine.h), so that one decoding is enough
 * for both.
 */
export function layOutAlike(a: Machine, b: Machine): boolean {
  const isOnePlainCore = (machine: Machine): boolean => machine.cores === 1 && isPlainMachine(machine);
  return a.cores === b.cores && a.lineBytes === b.lineBytes && isOnePlainCore(a) === isOnePlainCore(b);
}
