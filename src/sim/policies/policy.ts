// Stage: replay. The interface of a replacement policy. Each policy is one file, and policies.ts has the table of them.

/** The policy's memory of one set. Ways are numbered from 0. The cache itself fills free ways first. */
export interface SetPolicy {
  /** A reference, or a prefetch into a level above, found its line in the way. */
  hit(way: number): void;
  /** The way got another line. */
  fill(way: number): void;
  /** The way whose line leaves the full set. */
  victim(): number;
}

/** Which cache a policy works for: level 0 to 2, and the number of the unit at its level. */
export interface CacheIdentity {
  readonly seed: number;
  readonly level: number;
  readonly unit: number;
}

/** The policy of one cache: a function that makes the memory of each of its sets. */
export type ReplacementPolicy = (ways: number, cache: CacheIdentity) => () => SetPolicy;
