// Stage: profile -> advice. What is worth telling. The shares of misses and accesses are CachePerf's (Zhou et al.,
// "CachePerf: A Unified Cache Miss Classifier via Hybrid Hardware Sampling", 2022); the share of cycles is ours.

export interface Thresholds {
  /** Of all estimated cycles. */
  readonly cycles: number;
  /** Of the misses of loads, and of those of stores, in an L1: one of the two is enough. */
  readonly loadMisses: number;
  readonly storeMisses: number;
  /** Misses, of all accesses. */
  readonly accesses: number;
  /** Of the misses of a level. */
  readonly misses: number;
}

/** Of the run, instructions and estimated cycles: a change that brings less is none. */
export const DEFAULT_LEAST_GAIN = 0.05;
/** Misses that cost less than this part of a cycle for each instruction are nothing serious. */
const LEAST_OF_RUN = 0.01;

/** Whether no change can bring enough: all misses together cost too little. */
export function isTooCheap(
  { cycles, instructions }: { readonly cycles: number; readonly instructions: number },
  leastGain: number,
): boolean {
  return cycles < LEAST_OF_RUN * instructions || cycles < leastGain * (cycles + instructions);
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  cycles: 0.03,
  loadMisses: 0.03,
  storeMisses: 0.01,
  accesses: 0.0001,
  misses: 0.01,
};
