// Stage: samples -> profile. How a profile was sampled, and what none of its samples can say: each with the reason, so
// that no view shows a 0 for it.

import { CONFIDENCE } from '../../base/intervals.js';
import type { SampledEvent } from '../samples/samples.js';
import type { SampledEventFacts, SamplingFacts, SimulationFacts } from '../../profile/sampled.js';
import { LEVELS } from '../../contract/machine.js';
import type { SampledInput } from './sampled-input.js';
import type { SampledTallies } from './sampled-tallies.js';

const CLOCKS: Readonly<Record<number, string>> = {
  [-1]: 'perf',
  0: 'CLOCK_REALTIME',
  1: 'CLOCK_MONOTONIC',
  4: 'CLOCK_MONOTONIC_RAW',
  7: 'CLOCK_BOOTTIME',
};

/** `isPlayed`: a simulation was wanted. */
export function describeSampling(
  input: SampledInput,
  tallies: SampledTallies,
  isPlayed: boolean,
  simulation: SimulationFacts | null,
): SamplingFacts {
  const { samples, histories } = input;
  const events = sumEvents(input);
  const sum = (of: (typed: SampledInput['samples'][number]['value']) => number): number =>
    samples.reduce((total, { value }) => total + of(value), 0);
  return {
    confidence: CONFIDENCE,
    samples: events.reduce((total, event) => total + event.samples, 0),
    untyped: sum(({ untyped }) => Object.values(untyped).reduce((total, count) => total + count, 0)),
    lost: sum(({ lost }) => lost.records + lost.samples),
    events: events.map(({ name, source, samples: count, period }) => ({ name, source, samples: count, period })),
    loadPeriod: periodOf(events, 'load'),
    storePeriod: periodOf(events, 'store'),
    unknown: listUnknown(input, events, tallies, !isPlayed || simulation !== null),
    histories: histories && {
      histories: histories.value.rows.type.length,
      elements: histories.value.elements.ip.length,
      types: histories.value.types.map(({ name }) => name),
    },
    simulation,
    clock: CLOCKS[samples[0].value.run.clock] ?? String(samples[0].value.run.clock),
  };
}

/** Events that a sample of all of them stands for, on average. */
export function meanPeriod({ events, samples }: SamplingFacts): number {
  return samples === 0 ? 0 : events.reduce((sum, event) => sum + event.samples * event.period, 0) / samples;
}

/** By name; of an event without samples the period that it was set to. */
function sumEvents({ samples }: SampledInput): SampledEventFacts[] {
  const known = new Map<string, { event: SampledEvent; samples: number; period: number }>();
  for (const { value: typed } of samples) {
    typed.events.forEach((event, index) => {
      const own = known.get(event.name) ?? { event, samples: 0, period: 0 };
      known.set(event.name, own);
      own.samples += event.samples;
      typed.rows.event.forEach((of, row) => (own.period += of === index ? Number(typed.rows.period[row]) : 0));
    });
  }
  return Array.from(known.values(), ({ event, samples: count, period }) => ({
    name: event.name,
    source: event.source,
    samples: count,
    period: count === 0 ? (event.isFrequency ? 0 : Number(event.period)) : period / count,
  }));
}

type Kind = 'load' | 'store';

/** Whether samples of the event can be of this kind. IBS and SPE sample both kinds; other events' names say it. */
function canSay({ name, source }: SampledEventFacts, kind: Kind): boolean {
  return source === 'ibs' || source === 'spe' || name.includes(kind);
}

/** The largest period that a sample of the kind, had it been drawn, could have had: an upper bound is then one. */
function periodOf(events: readonly SampledEventFacts[], kind: Kind): number {
  const able = events.filter((event) => canSay(event, kind));
  return (able.length > 0 ? able : events).reduce((most, { period }) => Math.max(most, period), 0);
}

const NEVER: readonly (readonly [string, string])[] = [
  ...['invalidations', 'upgrades', 'writeBacks', 'evictions', 'transfers', 'orderBoundTransfers'].map(
    (name) => [name, 'samples see accesses, not what caches do to each other'] as const,
  ),
  ...['missesBeforeFirstUse', 'missesAfterLastUse', 'freesOnOtherCore', 'objects.misses', 'missesPerSet'].map(
    (name) => [name, 'samples of one object are too few'] as const,
  ),
  ['instructions', 'samples know time, not instructions'],
  ['classes.compulsory', "DProf's rule has no such class: first references are conflict or capacity misses"],
];

function listUnknown(
  { histories }: SampledInput,
  events: readonly SampledEventFacts[],
  { all }: SampledTallies,
  isSimulated: boolean,
): Record<string, string> {
  const unknown: [string, string][] = [...NEVER.map(([name, reason]): [string, string] => [name, reason])];
  const kinds = [
    ['load', 'loads', 'Loads'],
    ['store', 'stores', 'Stores'],
  ] as const;
  for (const [kind, plural, suffix] of kinds) {
    const references = all(plural);
    const isSampled = references > 0 || events.some((event) => canSay(event, kind));
    if (!isSampled) unknown.push([`references.${plural}`, `no event sampled ${plural}`]);
    let lookups = references;
    for (const level of LEVELS) {
      const unclear = all(`${level}.unknown${suffix}`);
      const name = level === 'llc' ? 'LLC' : level.toUpperCase();
      if (!isSampled) unknown.push([`misses.${level}.${plural}`, `no event sampled ${plural}`]);
      else if (unclear > 0 && unclear >= lookups)
        unknown.push([`misses.${level}.${plural}`, `no sample of a ${kind} says whether it missed the ${name}`]);
      lookups = Math.max(all(`${level}.miss${suffix}`) + all(`${level}.unknown${suffix}`), 0);
    }
  }
  if (all('timed') === 0) unknown.push(['latency', 'no sample says its latency']);
  if (
    LEVELS.every(
      (level) =>
        all(`${level}.true-sharing`) +
          all(`${level}.false-sharing`) +
          all(`${level}.conflict`) +
          all(`${level}.capacity`) ===
        0,
    )
  ) {
    unknown.push([
      'classes',
      histories === null
        ? 'samples alone do not say why they missed: take histories, dprof history --type NAME -- PROGRAM'
        : 'no history is of a place that a sample missed at',
    ]);
  }
  if (!isSimulated) unknown.push(['residency', 'no working set could be simulated']);
  return Object.fromEntries(unknown.sort(([a], [b]) => (a < b ? -1 : 1)));
}
