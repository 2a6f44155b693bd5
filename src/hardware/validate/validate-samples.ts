// Stage: validation. An exact profile and typed samples of the same program -> shares side by side, verdicts, and what
// samples see that no trace has: exactly the JSON of `dprof validate TRACE SAMPLES --format json`. docs/validate.md
// defines each number.

import { sampledFieldAt, type TypedSamples } from '../samples/typed-samples.js';
import type { Profile } from '../../profile/profile.js';
import type { Machine } from '../../contract/machine.js';
import { compareLevels, type LevelShare } from './compared-levels.js';
import { compareShares, type ComparedShare, type ComparedShares, type ShareVerdict } from './compare-shares.js';
import { countSamples } from './count-samples.js';
import { foreignPlaces, type Foreign, type TracedCode } from './code-of-samples.js';
import { exactAmounts, FIELD_BEHIND, MEASURES, type ComparedBy, type Measure } from './exact-amounts.js';
import { populationsOf, unitedPopulation, type EventPopulation, type Population } from './populations.js';
import { eventsThatSay, sampledAmounts } from './sampled-amounts.js';
import { findSkid, type Skid } from './skid.js';
import type { SameProgram } from './same-program.js';

/** `not-comparable`: no event is a draw from references. */
export type SamplesVerdict = ShareVerdict | 'not-comparable';

export interface MeasureReport extends Omit<ComparedShares, 'shares' | 'verdict'> {
  readonly measure: Measure;
  /** The population: events that say nothing of a measure leave their part of it out. null: no event is a draw. */
  readonly of: Population | null;
  readonly verdict: SamplesVerdict;
  /** Why it is not comparable; else empty. */
  readonly reason: string;
}

export interface SampledShare extends Omit<ComparedShare, 'name'> {
  readonly measure: Measure;
  /** As `--by` says: a type, a type and its field (null: the whole), or a function. */
  readonly type: string | null;
  readonly field: string | null;
  readonly function: string | null;
}

/** A number of samples, and where they were taken. */
export interface TypedCount {
  readonly type: string;
  readonly field: string | null;
  readonly function: string;
  readonly samples: number;
}

/** Samples in code that the trace has nothing of. */
export interface ForeignCode {
  readonly reason: Foreign;
  readonly module: string;
  readonly function: string;
  readonly samples: number;
}

export interface SamplesValidation {
  readonly schema: 'dprof.validate-samples/1';
  readonly of: 'samples';
  readonly verdict: SamplesVerdict;
  readonly trace: string;
  readonly samples: string;
  readonly truncated: boolean;
  readonly program: SameProgram;
  readonly machine: Machine;
  readonly schedule: string;
  readonly by: ComparedBy;
  readonly tolerancePoints: number;
  readonly events: readonly EventPopulation[];
  /** `all` = `instrumented` + `foreign`; of `instrumented`, `typed` have a type. */
  readonly counts: {
    readonly all: number;
    readonly instrumented: number;
    readonly foreign: number;
    readonly typed: number;
  };
  /** Why samples without a type have none; all samples are counted. */
  readonly untyped: Readonly<Record<string, number>>;
  /**
   * Notes of the programs that took and typed the samples: files without debug information, with the number of their
   * instructions, and the like.
   */
  readonly notes: Readonly<Record<string, number>>;
  /** Samples that the kernel had no room for, or dropped. */
  readonly lost: number;
  readonly measures: readonly MeasureReport[];
  readonly levels: readonly LevelShare[];
  /** All samples with a type, most first. */
  readonly typed: readonly TypedCount[];
  readonly foreign: readonly ForeignCode[];
  readonly skid: Skid;
  readonly rows: readonly SampledShare[];
}

export interface SamplesRequest {
  readonly by: ComparedBy;
  /** In points of percent. */
  readonly tolerancePoints: number;
  readonly trace: string;
  readonly samples: string;
}

export function validateSamples(
  profile: Profile,
  samples: TypedSamples,
  code: TracedCode,
  program: SameProgram,
  request: SamplesRequest,
): SamplesValidation {
  const { by, tolerancePoints, ...named } = request;
  const foreign = foreignPlaces(samples, code, program.identity === 'other-build');
  const events = populationsOf(samples);
  const { rows } = samples;
  const isInstrumented = (place: number): boolean => foreign[place] === null;
  const among =
    (drawn: readonly number[]) =>
    (row: number): boolean =>
      drawn.includes(rows.event[row]) && isInstrumented(rows.place[row]);
  const compared = MEASURES.map((measure) => {
    const { of, events: drawn } = unitedPopulation(events, eventsThatSay(samples, measure));
    const exact = exactAmounts(profile, by, measure, of ?? 'references');
    const { shares, verdict, ...whole } = compareShares(
      exact,
      sampledAmounts(samples, by, measure, exact.amounts, among(drawn)),
      tolerancePoints / 100,
    );
    const reason = whyNot(
      measure,
      events.filter((_, event) => drawn.includes(event)),
      whole.samples,
      profile.machine,
    );
    const report: MeasureReport = {
      measure,
      of,
      verdict: reason === '' ? verdict : 'not-comparable',
      reason,
      ...whole,
    };
    return { report, shares: reason === '' ? shares : [] };
  });
  const reports = compared.map(({ report }) => report);
  const served = unitedPopulation(events, eventsThatSay(samples, 'misses'));
  const sum = (wanted: (row: number) => boolean): number =>
    rows.samples.reduce((total, count, row) => total + (wanted(row) ? count : 0), 0);
  const all = sum(() => true);
  const instrumented = sum((row) => isInstrumented(rows.place[row]));
  return {
    schema: 'dprof.validate-samples/1',
    of: 'samples',
    verdict: reports.find(({ verdict }) => verdict !== 'not-comparable')?.verdict ?? 'not-comparable',
    ...named,
    truncated: profile.run.truncated,
    program,
    machine: profile.machine,
    schedule: profile.schedule,
    by,
    tolerancePoints,
    events,
    counts: {
      all,
      instrumented,
      foreign: all - instrumented,
      typed: sum((row) => isInstrumented(rows.place[row]) && rows.type[row] !== 0),
    },
    untyped: samples.untyped,
    notes: samples.notes,
    lost: samples.lost.records + samples.lost.samples,
    measures: reports,
    levels: served.of === null ? [] : compareLevels(profile, samples, served.of, among(served.events)),
    typed: typedCounts(samples),
    foreign: foreignCode(samples, foreign),
    skid: findSkid(profile, samples, isInstrumented),
    rows: compared.flatMap(({ report: { measure }, shares }) => shares.map((share) => spellShare(measure, by, share))),
  };
}

const NO_WORD = { misses: 'no sample says that it missed the L1', cycles: 'no sample says how long it took' } as const;

/** Empty: they can be compared. */
function whyNot(measure: Measure, events: readonly EventPopulation[], samples: number, { l1, l2 }: Machine): string {
  if (events.length === 0) return measure === 'references' ? 'no event is a draw of references' : NO_WORD[measure];
  const leastCycles = Math.max(...events.map((event) => event.leastCycles));
  if (leastCycles > l1.latencyCycles && measure !== 'misses')
    return `only accesses of at least ${leastCycles} cycles were drawn (ldlat), which leaves out hits`;
  if (leastCycles > l2.latencyCycles && measure === 'misses')
    return `only accesses of at least ${leastCycles} cycles were drawn (ldlat), which leaves out what the L2 served`;
  return samples > 0 || measure === 'references' ? '' : NO_WORD[measure];
}

function spellShare(measure: Measure, by: ComparedBy, { name, ...share }: ComparedShare): SampledShare {
  const [first, field = null] = name.split(FIELD_BEHIND);
  return {
    measure,
    type: by === 'function' ? null : first,
    field,
    function: by === 'function' ? name : null,
    ...share,
  };
}

function typedCounts({ rows, types, places }: TypedSamples): TypedCount[] {
  return countSamples(rows.samples, (row): Omit<TypedCount, 'samples'> | null => {
    const type = types[rows.type[row]];
    return rows.type[row] === 0
      ? null
      : {
          type: type.name,
          field: sampledFieldAt(type, Number(rows.offset[row]))?.path ?? null,
          function: places[rows.place[row]].function,
        };
  });
}

function foreignCode({ rows, places, modules }: TypedSamples, foreign: readonly (Foreign | null)[]): ForeignCode[] {
  return countSamples(rows.samples, (row): Omit<ForeignCode, 'samples'> | null => {
    const place = places[rows.place[row]];
    const reason = foreign[rows.place[row]];
    return reason === null ? null : { reason, module: modules[place.module]?.file ?? '', function: place.within };
  });
}
