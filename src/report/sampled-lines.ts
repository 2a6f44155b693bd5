// Stage: views -> text. The lines above and below the tables of a profile from samples: how it was sampled, its totals,
// and the numbers that no sample can say.

import type { SamplingFacts } from '../profile/sampled.js';
import { LEVELS } from '../contract/machine.js';
import { boundsAt } from '../views/row-estimates.js';
import type { SampledView } from '../views/view.js';
import { estimateOf, type Estimate } from '../base/estimate.js';
import { formatEstimate, formatTime } from '../base/format-estimate.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { describeMachine } from './machine-line.js';
import { shorten, type Labelled } from './text-lines.js';

type Totals = SampledView<unknown>['totals'];

function estimateIn({ intervals }: Totals, value: number | null, place?: string): Estimate | null {
  return value === null ? null : estimateOf(value, place === undefined ? null : boundsAt(intervals, place));
}

function describeTotals({ totals, threads }: SampledView<unknown>): string {
  const kinds = [
    `${formatEstimate(estimateIn(totals, totals.loads))} loads`,
    `${formatEstimate(estimateIn(totals, totals.stores))} stores`,
    ...(totals.unknown === undefined
      ? []
      : [`${formatEstimate(estimateIn(totals, totals.unknown))} of neither kind that is known`]),
  ];
  return `${kinds.join(', ')} in ${formatTime(totals.nanoseconds)} of ${plural(threads, 'thread')}`;
}

export function sampledRunLines(view: SampledView<unknown>, width: number): Labelled[] {
  const { totals, sampled: facts } = view;
  const misses = LEVELS.map(
    (level) =>
      `${level === 'llc' ? 'LLC' : level.toUpperCase()} ` +
      `${formatEstimate(estimateIn(totals, totals.levels[level].misses, `levels.${level}.misses`))}`,
  );
  return [
    ['program', `${shorten(view.command.join(' '), Math.max(40, width - 40))} (${view.ended})`],
    [
      'SAMPLED',
      `${describeSamples(facts)}; every number is an estimate, ± is its ${Math.round(100 * facts.confidence)} ` +
        '% interval',
    ],
    ...(facts.lost === 0 ? [] : [['LOST', `at least ${formatCount(facts.lost)} samples`] as Labelled]),
    ...(facts.histories === null
      ? []
      : [
          [
            'histories',
            `${formatCount(facts.histories.histories)} of ${facts.histories.types.join(', ')}: ` +
              `${formatCount(facts.histories.elements)} accesses`,
          ] as Labelled,
        ]),
    [
      'machine',
      `${describeMachine(view.machine)}` +
        `${facts.simulation === null ? '' : ' (of the simulated working set; misses are those of the processor)'}`,
    ],
    [
      'misses',
      `${misses.join(', ')} of ${formatEstimate(estimateIn(totals, totals.references, 'references'))} references`,
    ],
    ...(facts.simulation === null ? [] : [['simulated', describeSimulation(facts.simulation)] as Labelled]),
  ];
}

export function describeSamples({ samples, events, untyped }: SamplingFacts): string {
  const each = events.map(
    ({ name, source, samples: own, period }) =>
      `${formatCount(own)} of ${name} (${source}), one in ${formatCount(Math.round(period))}`,
  );
  return (
    `${formatCount(samples)} samples: ${each.join('; ')}; ${formatCount(untyped)} without type ` +
    `(${formatShare(untyped, samples)})`
  );
}

function describeSimulation({
  seed,
  repetitions,
  objects,
  windowNs,
  withoutPaths,
  withoutObjects,
}: NonNullable<SamplingFacts['simulation']>): string {
  const list = (names: readonly string[]): string =>
    names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
  return [
    `${repetitions} times (seed ${seed}), ${formatCount(Math.round(objects))} objects in ${formatTime(windowNs)} each`,
    ...(withoutPaths.length === 0
      ? []
      : [`without histories each sampled offset is touched once: ${list(withoutPaths)}`]),
    ...(withoutObjects.length === 0 ? [] : [`no objects known: ${list(withoutObjects)}`]),
  ].join('; ');
}

/** Reasons, each with what it is of. */
export function sampledCoverageLines(view: SampledView<unknown>): Labelled[] {
  const { unknown } = view.sampled;
  const reasons = new Map<string, string[]>();
  for (const [name, reason] of Object.entries(unknown)) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  const { references, l1Misses } = view.typing;
  const used = Object.entries(references.rules).filter(([, count]) => count > 0);
  return [
    ['totals', describeTotals(view)],
    [
      'typed by',
      used
        .map(
          ([rule, count]) =>
            `${rule} ${formatShare(count, references.of)}/` +
            `${formatShare(l1Misses.rules[rule as keyof typeof l1Misses.rules], l1Misses.of)}`,
        )
        .join(', ') + ' (of references / of L1 misses)',
    ],
    [
      'intervals',
      'are of the drawing alone: not of skid, of what a processor prefers to sample, of code or threads that ' +
        'were not sampled',
    ],
    ['not known', Array.from(reasons, ([reason, names]) => `${names.join(', ')}: ${reason}`).join('; ')],
  ];
}
