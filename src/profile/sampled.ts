// Stage: profile. The parts that a profile from samples has beside its estimates: how it was sampled, and the certainty
// of each number, in the rows of its own tables. docs/sampled-views.md defines each number.

import type { SampledTables } from './tables.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

export * from './estimates.js';
export type { SampledTables } from './tables.js';

export type SampledTallyColumns = SampledTables['tallies'];
export type SampledLifeColumns = SampledTables['lives'];
export type SampledStepColumns = SampledTables['steps'];
export type SampledPathColumns = SampledTables['paths'];
export type SampledResidencyColumns = SampledTables['residency'];

export interface SampledEventFacts {
  readonly name: string;
  readonly source: string;
  readonly samples: number;
  /** Events that a sample stands for, on average. */
  readonly period: number;
}

/** The facts of the simulation of the working set. */
export interface SimulationFacts {
  readonly seed: number;
  readonly repetitions: number;
  /** For each repetition: the number of objects that lived in its part of the run, and the length of that part. */
  readonly objects: number;
  readonly windowNs: number;
  /**
   * Types whose use no history describes: each offset that samples met is touched once, evenly spread over the life.
   */
  readonly withoutPaths: readonly string[];
  /** Types whose objects are not known. */
  readonly withoutObjects: readonly string[];
}

/** Everything but tables. */
export interface SamplingFacts {
  readonly confidence: number;
  /** `samples`: all of them; `untyped`: those without type; `lost`: a lower bound of the samples that were lost. */
  readonly samples: number;
  readonly untyped: number;
  readonly lost: number;
  readonly events: readonly SampledEventFacts[];
  /** For loads and stores of which no sample was drawn: the number of events that a sample would have stood for. */
  readonly loadPeriod: number;
  readonly storePeriod: number;
  /** By estimate: why no sample can say it. Dotted names as in rows: "misses.l2.stores". */
  readonly unknown: Readonly<Record<string, string>>;
  /** null: none were given. */
  readonly histories: {
    readonly histories: number;
    readonly elements: number;
    readonly types: readonly string[];
  } | null;
  readonly simulation: SimulationFacts | null;
  readonly clock: string;
}

export interface SampledPart extends SampledTables {
  readonly facts: SamplingFacts;
}

type Unchecked<Facts> = Partial<Record<keyof Facts, unknown>>;

function isNumber(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks a value of a profile's directory. */
export function checkSamplingFacts(facts: unknown): void {
  const { confidence, samples, untyped, lost, events, loadPeriod, storePeriod, unknown, histories, simulation, clock } =
    (isRecord(facts) ? facts : {}) as Unchecked<SamplingFacts>;
  const areEvents =
    Array.isArray(events) &&
    events.every(
      (event: unknown) =>
        isRecord(event) &&
        typeof event.name === 'string' &&
        typeof event.source === 'string' &&
        isNumber(event.samples) &&
        isNumber(event.period),
    );
  const areUnknown = isRecord(unknown) && Object.values(unknown).every((reason) => typeof reason === 'string');
  const areHistories =
    histories === null ||
    (isRecord(histories) && isNumber(histories.histories) && isNumber(histories.elements) && areTexts(histories.types));
  const isSimulation =
    simulation === null ||
    (isRecord(simulation) &&
      [simulation.seed, simulation.repetitions, simulation.objects, simulation.windowNs].every(isNumber) &&
      areTexts(simulation.withoutPaths) &&
      areTexts(simulation.withoutObjects));
  const isRight =
    [confidence, samples, untyped, lost, loadPeriod, storePeriod].every(isNumber) &&
    areEvents &&
    areUnknown &&
    areHistories &&
    isSimulation &&
    typeof clock === 'string';
  if (!isRight)
    throw new ProfileError(
      'sampling of the profile',
      HEADER_BYTES,
      'samples, events and what is unknown',
      JSON.stringify(facts)?.slice(0, 100) ?? 'nothing',
    );
}
