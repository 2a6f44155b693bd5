// Stage: profile -> views. One object from samples: those that met it, each for a period, and when it lived.

import { countInterval } from '../base/intervals.js';
import type { SampledPart } from '../profile/sampled.js';
import type { Sampled } from './row-estimates.js';
import { Marks } from './sampled-rows.js';

export function sampledObject<Row extends { readonly references: unknown }>(
  row: Row,
  { facts }: SampledPart,
): Sampled<Row> {
  const marks = new Marks(row, facts);
  const period = Math.max(facts.loadPeriod, facts.storePeriod);
  const mean =
    facts.samples === 0
      ? 0
      : facts.events.reduce((sum, event) => sum + event.samples * event.period, 0) / facts.samples;
  const references = Number(row.references);
  marks.bound('references', countInterval(references, references * mean, period));
  for (const name of [
    'misses',
    'levels',
    'missLatencyCycles',
    'missesBeforeFirstUse',
    'missesAfterLastUse',
    'freedOnOtherCore',
    'bounce',
    'writeShared',
    'path',
  ])
    if (name in row) marks.nothing(name);
  if ('allocatedAt' in row && 'freedAt' in row) {
    marks.write('allocatedAtNanoseconds', row.allocatedAt);
    marks.write('freedAtNanoseconds', row.freedAt);
    marks.nothing('allocatedAt');
    marks.nothing('freedAt');
  }
  return marks.row;
}
