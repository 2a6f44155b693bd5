// What the caches did with a reference, in one number of 32 bits; engine/batch/outcome.h has the same:
//
//   bit 0        a store
//   bits 1-3     who served it (SERVERS)
//   4-12         for each level its class (CLASSES); HIT: it hit, or was not asked
//   13-15        for each level: a compulsory miss of a line that others had stored to
//   16-21        for each level: the class by DProf's rule (DPROF_RULES)
//   22, 23       the line's previous reference came from another core; that depends on the order of threads
//   24-26        who served the slowest reference of the access; NO_SERVER: this is not its first one
//   27           some reference of the access missed the L1; of the first one only
//   28-29        levels of the TLB that missed
//   30-31        the same of the slowest reference of the access

export const HIT = 7;
export const NO_SERVER = 7;
const [SERVER, CLASS, SHARED, RULE, LATENCY, TLB, LATENCY_TLB] = [1, 4, 13, 16, 24, 28, 30];
const [TRANSFER, ORDER_BOUND, MISSED] = [1 << 22, 1 << 23, 1 << 27];

export interface Outcome {
  readonly isStore: boolean;
  readonly server: number;
  /** Of each level that it missed, from L1 on. */
  readonly misses: readonly {
    readonly missClass: number;
    readonly isCompulsoryShared: boolean;
    readonly dprofRule: number;
  }[];
  readonly isTransfer: boolean;
  readonly isOrderBoundTransfer: boolean;
  readonly tlbMisses: number;
}

/** What its access costs is not said yet. */
export function outcomeWord(of: Outcome): number {
  let word = Number(of.isStore) | (of.server << SERVER) | (of.tlbMisses << TLB);
  for (let level = 0; level < 3; level++) {
    const miss = of.misses.at(level);
    word |= (miss?.missClass ?? HIT) << (CLASS + 3 * level);
    if (miss?.isCompulsoryShared) word |= 1 << (SHARED + level);
    word |= (miss?.dprofRule ?? 0) << (RULE + 2 * level);
  }
  if (of.isTransfer) word |= TRANSFER;
  if (of.isOrderBoundTransfer) word |= ORDER_BOUND;
  return word >>> 0;
}

/** `slowest`: the word of the access's slowest reference; null: `word` is not of the access's first. */
export function withLatency(word: number, slowest: number | null, isMiss: boolean): number {
  if (slowest === null) return (word | (NO_SERVER << LATENCY)) >>> 0;
  const cost = (serverOf(slowest) << LATENCY) | (((slowest >>> TLB) & 3) << LATENCY_TLB);
  return (word | cost | (isMiss ? MISSED : 0)) >>> 0;
}

/** The bits that serverOf, classAt and costOf read. */
export const SERVER_BITS = { shift: SERVER, mask: 7 } as const;
export const COST_BITS = { shift: LATENCY, mask: 0xff } as const;
export const classBits = (level: number) => ({ shift: CLASS + 3 * level, mask: 7 }) as const;

/** Index into SERVERS. */
export function serverOf(word: number): number {
  return (word >>> SERVER) & 7;
}

/** Index into CLASSES, or HIT. `level`: index into LEVELS. */
export function classAt(word: number, level: number): number {
  return (word >>> (CLASS + 3 * level)) & 7;
}

/** Who served what the access costs (index into SERVERS, or NO_SERVER), and the levels of the TLB that it missed. */
export function costOf(word: number): { readonly server: number; readonly tlbMisses: number } {
  return { server: (word >>> LATENCY) & 7, tlbMisses: (word >>> LATENCY_TLB) & 3 };
}
