// Stage: profiles -> diff. The intervals of changes of L1 misses, if one or both runs are sampled: either side may be
// off by chance.

import type { Interval } from '../base/intervals.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { EstimateSums, estimatesBy } from '../views/estimate-sums.js';

const L1_MISSES = ['l1.missLoads', 'l1.missStores'] as const;

export interface ChangeIntervals {
  readonly l1Misses: Interval;
}

interface ChangedMisses {
  readonly type: string;
  readonly field: string | null;
  readonly levels: {
    readonly l1: { readonly misses: { readonly before: number; readonly after: number; readonly change: number } };
  };
}

/** undefined: both runs are exact. */
export function changeIntervals(
  before: Profile,
  after: Profile,
): ((row: ChangedMisses) => ChangeIntervals) | undefined {
  if (before.sampled === undefined && after.sampled === undefined) return undefined;
  const [first, second] = [boundsOf(before), boundsOf(after)];
  return ({ type, field, levels }) => {
    const { before: was, after: is, change } = levels.l1.misses;
    const [a, b] = [first(type, field), second(type, field)];
    // The change is smallest where one was high and the other is low; both at once are rarer than either.
    const down = Math.hypot(a === null ? 0 : a[1] - was, b === null ? 0 : is - b[0]);
    const up = Math.hypot(a === null ? 0 : was - a[0], b === null ? 0 : b[1] - is);
    return { l1Misses: [change - down, change + up] };
  };
}

/** null: exact. */
function boundsOf(profile: Profile): (type: string, field: string | null) => Interval | null {
  const { sampled, tallies, types, strings } = profile;
  if (sampled === undefined) return () => null;
  const key = (type: string, field: string | null): string => JSON.stringify([type, field]);
  const sums = estimatesBy(profile, sampled, (row) => {
    const type = strings[types.name[tallies.type[row]]];
    return [key(type, null), ...(tallies.field[row] === NO_INDEX ? [] : [key(type, strings[tallies.field[row]])])];
  });
  return (type, field) => (sums.get(key(type, field)) ?? new EstimateSums(sampled)).interval(...L1_MISSES);
}
