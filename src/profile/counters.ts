// Stage: profile. The place of each counter of a tally in its row.

import { COUNTERS } from '../contract/result.js';

const position = new Map(COUNTERS.map((name, index) => [name, index]));

export function counterIndex(name: string): number {
  const index = position.get(name);
  if (index === undefined) throw new RangeError(`no counter is named ${name}`);
  return index;
}
