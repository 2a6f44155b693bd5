// Stage: profile. The estimates of a profile from samples: the counters of tallies, and the counters that only samples
// have.

import type { NameList } from '../base/table-description.js';
import { LEVELS } from '../contract/machine.js';
import { COUNTERS } from '../contract/result.js';

/** Estimates that only samples have; `unknown`: references of which no sample says whether they missed the level. */
export const SAMPLED_COUNTERS: readonly string[] = [
  'kindUnknown', // neither load nor store, as far as anyone knows
  ...LEVELS.flatMap((level) => [`${level}.unknownLoads`, `${level}.unknownStores`, `${level}.unclassified`]),
  'served.unknown',
  'timed', // references of which the latency is known
  'timedMisses', // and that missed the L1
];

/** In this order stand the numbers of a row of `variance` and `samples`. */
export const ESTIMATES: readonly string[] = [...COUNTERS, ...SAMPLED_COUNTERS];

/** Estimates of latency, and what they are the latency of. */
export const LATENCIES = { latencyCycles: 'timed', missLatencyCycles: 'timedMisses' } as const;
export const LATENCY_NAMES = Object.keys(LATENCIES) as (keyof typeof LATENCIES)[];

export const SAMPLED_COUNTER_LIST = { name: 'sampled counters', members: SAMPLED_COUNTERS } satisfies NameList;
export const ESTIMATE_LIST = { name: 'estimates', members: ESTIMATES } satisfies NameList;
export const LATENCY_LIST = { name: 'latencies', members: LATENCY_NAMES } satisfies NameList;

const position = new Map(ESTIMATES.map((name, index) => [name, index]));

export function estimateIndex(name: string): number {
  const index = position.get(name);
  if (index === undefined) throw new RangeError(`no estimate is named ${name}`);
  return index;
}
