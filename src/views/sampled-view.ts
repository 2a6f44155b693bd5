// Stage: profile -> views. A view that was built of estimates, marked as that: each number that samples say has its
// interval beside it, and what no sample can say is null. docs/sampled-views.md defines each.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import type { SampledPart, SamplingFacts } from '../profile/sampled.js';
import { LEVELS } from '../contract/machine.js';
import { EstimateSums, estimatesBy } from './estimate-sums.js';
import { KINDS, KNOWN, markClassified, markMean, markNoLevels, Marks, missesOf, REFERENCES } from './sampled-rows.js';
import type { SampledTotals, SampledView, View } from './view.js';
import type { ViewDefinition } from './view-definition.js';

const ONLY_BY_REPLAY = 'only a replay sees it: record the program, dprof record, and report on its trace';

type Definition = Pick<ViewDefinition<View<unknown>, SampledView<unknown>>, 'sampled'>;

/** Whether samples, with histories if there are any, say anything of the view. */
export function isSampledView({ facts }: SampledPart, { sampled }: Definition): boolean {
  return sampled !== undefined && (sampled.from === 'samples' || facts.histories !== null);
}

export function requireSampledView(part: SampledPart, name: string, definition: Definition): void {
  if (isSampledView(part, definition)) return;
  if (definition.sampled === undefined) throw new DprofError(`samples say nothing of ${name}`, ONLY_BY_REPLAY);
  throw new DprofError(
    `samples alone have no paths, so no ${name}`,
    "take histories and give them too: dprof history --type 'struct NAME' -o Y.dphistories -- PROGRAM; dprof " +
      'report X.dpsamples Y.dphistories',
  );
}

/** The envelope of a view, as samples say it: everything but its rows. */
export function sampledView<Row>(
  profile: Profile,
  sampled: SampledPart,
  view: View<unknown>,
  rows: readonly Row[],
): SampledView<Row> {
  const {
    orderBound: _,
    timelinePartInstructions: partNs,
    ...envelope
  } = view as View<unknown> & { readonly timelinePartInstructions?: number };
  return {
    ...envelope,
    ...(partNs !== undefined && { timelinePartInstructions: null, timelinePartNanoseconds: partNs }),
    schedule: 'sampled',
    sampled: sampled.facts,
    orderBound: null,
    outsideLife: null,
    unseenBytes: null,
    lostSegments: null,
    totals: sampledTotals(view, sumsOfAll(profile, sampled), sampled.facts),
    rows,
  };
}

export function sumsOfAll(profile: Profile, sampled: SampledPart): EstimateSums {
  return estimatesBy(profile, sampled, () => ['']).get('') ?? new EstimateSums(sampled);
}

function sampledTotals({ totals }: View<unknown>, whole: EstimateSums, facts: SamplingFacts): SampledTotals {
  const marks = new Marks(totals, facts);
  marks.sum('references', whole, ...REFERENCES);
  for (const [plural] of KINDS) {
    if (marks.isUnknown(`references.${plural}`)) marks.nothing(plural);
    else marks.sum(plural, whole, plural);
  }
  if (whole.get('kindUnknown') > 0) marks.sum('unknown', whole, 'kindUnknown');
  marks.write('nanoseconds', totals.instructions);
  for (const name of ['accesses', 'invalidations', 'upgrades', 'writeBacks', 'instructions', 'evictions'])
    marks.nothing(name);
  for (const name of ['latencyCycles', 'missLatencyCycles'] as const) {
    if (marks.isUnknown('latency')) marks.nothing(name);
    else marks.sum(name, whole, name);
  }
  markNoLevels(marks);
  markClassified(marks, whole, whole);
  markMean(marks, 'averageLatencyCycles', whole, 'latencyCycles');
  marks.bound('share.missRate', whole.share(missesOf('l1'), KNOWN));
  for (const level of LEVELS)
    marks.write(`levels.${level}.hits`, marks.row.levels[level].misses === null ? null : totals.levels[level].hits);
  return { ...marks.row, references: whole.get(...REFERENCES), nanoseconds: totals.instructions };
}
