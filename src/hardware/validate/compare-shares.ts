// Stage: validation. Exact amounts and sampled ones by name -> their shares side by side with a verdict each, and how
// far apart they are in all.

import type { ExactAmounts } from './exact-amounts.js';
import { rankCorrelation } from './rank-correlation.js';
import { nothing, type SampledAmounts } from './sampled-amounts.js';
import { shareInterval } from '../../base/intervals.js';
import {
  chanceDistance,
  effectiveSamples,
  enoughSamples,
  isOutside,
  isTooWide,
  shareDistance,
} from './share-statistics.js';

const SHARE_VERDICTS = ['agrees', 'differs', 'too-few'] as const;
export type ShareVerdict = (typeof SHARE_VERDICTS)[number];

export interface ComparedShare {
  readonly name: string;
  readonly exactPercent: number;
  /** As `lowPercent` and `highPercent`, the interval of 95 %, null: no sample says anything. */
  readonly sampledPercent: number | null;
  readonly lowPercent: number | null;
  readonly highPercent: number | null;
  readonly samples: number;
  readonly verdict: ShareVerdict;
  /** Samples of this kind, in all, with which the interval would be within the tolerance. */
  readonly enough: number;
}

export interface ComparedShares {
  readonly verdict: ShareVerdict;
  /** The amount that has a name: only that has a share. */
  readonly exact: number;
  readonly exactUnnamed: number;
  readonly samples: number;
  readonly samplesUnnamed: number;
  /** As many of equal weight would be as sure. */
  readonly effectiveSamples: number;
  readonly enough: number;
  /** The number of names that the verdicts judge at once. */
  readonly names: number;
  readonly rankCorrelation: number | null;
  /** null: no samples. */
  readonly distancePoints: number | null;
  /** The average distance if nothing but chance is between them. */
  readonly chancePoints: number | null;
  /** Largest exact share first. */
  readonly shares: readonly ComparedShare[];
}

export function compareShares(
  { amounts: exact, unnamed }: ExactAmounts,
  sampled: SampledAmounts,
  tolerance: number,
): ComparedShares {
  const names = [...new Set([...exact.keys(), ...sampled.amounts.keys()])];
  const total = [...exact.values()].reduce((sum, amount) => sum + amount, 0);
  const { all } = sampled;
  const drawn = effectiveSamples(all);
  // Samples of unequal weight say less, so more of them are needed.
  const perEffective = drawn === 0 ? 1 : all.samples / drawn;
  const shares = names.map((name): ComparedShare => {
    const own = sampled.amounts.get(name) ?? nothing();
    const exactShare = total === 0 ? 0 : (exact.get(name) ?? 0) / total;
    const said = all.weight === 0 ? null : own.weight / all.weight;
    const [low, high] = shareInterval(said ?? 0, drawn) ?? [0, 1];
    const enough = Math.ceil(
      perEffective * Math.max(enoughSamples(exactShare, tolerance), said === null ? 0 : enoughSamples(said, tolerance)),
    );
    const percent = (share: number): number | null => (said === null ? null : 100 * share);
    return {
      name,
      exactPercent: 100 * exactShare,
      sampledPercent: percent(said ?? 0),
      lowPercent: percent(low),
      highPercent: percent(high),
      samples: own.samples,
      verdict: judge(said, exactShare, drawn, names.length, tolerance),
      enough,
    };
  });
  const isSaid = all.weight > 0;
  const pairs = shares.map(({ exactPercent, sampledPercent }) => [exactPercent, sampledPercent ?? 0] as const);
  const has = (verdict: ShareVerdict): boolean => shares.some((share) => share.verdict === verdict);
  return {
    verdict:
      !isSaid || shares.length === 0 ? 'too-few' : has('differs') ? 'differs' : has('too-few') ? 'too-few' : 'agrees',
    exact: total,
    exactUnnamed: unnamed,
    samples: all.samples,
    samplesUnnamed: sampled.unnamed.samples,
    effectiveSamples: drawn,
    enough: Math.max(0, ...shares.map(({ enough }) => enough)),
    names: names.length,
    rankCorrelation: isSaid
      ? rankCorrelation(
          pairs.map(([first]) => first),
          pairs.map(([, second]) => second),
        )
      : null,
    distancePoints: isSaid ? shareDistance(pairs) : null,
    chancePoints: isSaid
      ? 100 *
        chanceDistance(
          shares.map(({ exactPercent }) => exactPercent / 100),
          drawn,
        )
      : null,
    shares: shares.sort(
      (a, b) =>
        b.exactPercent - a.exactPercent ||
        (b.sampledPercent ?? 0) - (a.sampledPercent ?? 0) ||
        (a.name < b.name ? -1 : 1),
    ),
  };
}

function judge(said: number | null, exact: number, samples: number, names: number, tolerance: number): ShareVerdict {
  if (said === null) return 'too-few';
  if (isOutside(said, exact, samples, names)) return 'differs';
  return isTooWide(said, samples, tolerance) ? 'too-few' : 'agrees';
}
