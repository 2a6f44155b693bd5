// Stage: profile -> advice. What the misses of each class cost at each level, for what a person could change: a struct
// or class with its fields, an array by the place that allocates it, a variable.

import { NO_INDEX } from '../base/ids.js';
import { CLASSES, LEVELS, type LevelName, type MissClass } from '../contract/machine.js';
import { COUNTERS } from '../contract/result.js';
import { counterIndex } from '../profile/counters.js';
import type { Profile } from '../profile/profile.js';
import { sumBy, type ClassCounts, type CounterSums } from './counter-sums.js';
import { cyclesByClass } from './level-cycles.js';
import { levelMisses, type LevelMisses } from './level-misses.js';
import { mostBy, type MostMissesAt } from './most-misses.js';
import { splitRows, type SplitRows } from './split-rows.js';

/** What a person could change, and the cycles of each class there. */
export interface SubjectCosts {
  readonly type: string;
  /** The variable or field that receives the array; null: a struct, or unknown. */
  readonly name: string | null;
  /** The place that allocates the array: "adi.c:12". */
  readonly site: string | null;
  readonly cycles: Record<LevelName, ClassCounts>;
}

export interface CostRow extends SubjectCosts {
  readonly loads: number;
  readonly stores: number;
  readonly references: number;
  /** Estimated cycles: the latency of accesses that missed the L1. */
  readonly missLatencyCycles: number;
  readonly levels: Record<LevelName, LevelMisses>;
  readonly fields: readonly FieldCost[];
  /** The line with most cycles of the class, and misses of it at all levels. */
  readonly mostAt: Readonly<Record<MissClass, MostMissesAt>>;
}

export interface FieldCost {
  readonly field: string;
  readonly loads: number;
  readonly stores: number;
  readonly references: number;
  readonly missLatencyCycles: number;
}

/** Of a type's field, and of the place of an access to it: other fields that the same access loads or stores. */
export type FieldSpans = (
  type: string,
  field: string,
  place: { readonly file: string; readonly line: number; readonly column: number },
) => readonly string[];

/** `isRecord`: of type names: structs, unions and classes. Others are told apart by variable. */
export function subjectCosts(whole: Profile, isRecord: (type: string) => boolean): SubjectCosts[] {
  const subjects = new Subjects(whole, isRecord);
  return [...subjects.sums()].map(([key, own]) => subjects.costs(key, own));
}

/** With all that the rows of a subject say. */
export function classCosts(whole: Profile, isRecord: (type: string) => boolean, spans: FieldSpans): CostRow[] {
  const subjects = new Subjects(whole, isRecord);
  const fields = fieldCosts(subjects, spans);
  const mostAt = mostByClass(subjects.profile, (row) => subjects.keyOf(row));
  return [...subjects.sums()].map(([key, own]): CostRow => {
    const costs = subjects.costs(key, own);
    return {
      ...costs,
      loads: own.get('loads'),
      stores: own.get('stores'),
      references: own.references,
      missLatencyCycles: own.get('missLatencyCycles'),
      levels: levelMisses((counter) => own.get(counter)),
      fields: isRecord(costs.type) ? (fields.get(key) ?? []) : [],
      mostAt: Object.fromEntries(CLASSES.map((one) => [one, mostAt[one](key)])) as CostRow['mostAt'],
    };
  });
}

/** Rows of a profile by what a person could change; each subject has a number. */
class Subjects {
  readonly profile: Profile;
  private readonly keys: SplitRows['keys'];
  private readonly numbers = new Map<string, number>();
  /** By number: one of its rows. */
  private readonly sample: number[] = [];
  private readonly isOne = new Map<number, boolean>();

  constructor(
    whole: Profile,
    private readonly isRecord: (type: string) => boolean,
  ) {
    const { profile, keys } = splitRows(whole);
    this.profile = profile;
    this.keys = keys;
  }

  keyOf(row: number): number {
    const type = this.profile.tallies.type[row];
    const text = this.isWhole(type) ? `${type}` : `${type} ${this.fieldAt(row) ?? ''}`;
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.sample.push(row) - 1;
      this.numbers.set(text, number);
    }
    return number;
  }

  sums(): Map<number, CounterSums> {
    return sumBy(this.profile.tallies, (row) => this.keyOf(row));
  }

  costs(key: number, sums: CounterSums): SubjectCosts {
    const row = this.sample[key];
    const type = this.profile.tallies.type[row];
    const { type: name, site = null, receiver = null } = this.keys(type);
    return {
      type: name,
      name: this.isWhole(type) ? receiver : this.fieldAt(row),
      site,
      cycles: waitedCycles((counter) => sums.get(counter), this.profile.machine),
    };
  }

  typeAt(row: number): string {
    return this.keys(this.profile.tallies.type[row]).type;
  }

  placeAt(row: number): Parameters<FieldSpans>[2] {
    const { tallies, sites, strings } = this.profile;
    const site = tallies.site[row];
    return { file: strings[sites.file[site]], line: sites.line[site], column: sites.column[site] };
  }

  fieldAt(row: number): string | null {
    const { tallies, strings } = this.profile;
    return tallies.field[row] === NO_INDEX ? null : strings[tallies.field[row]];
  }

  /** Not told apart by variable. */
  private isWhole(type: number): boolean {
    let known = this.isOne.get(type);
    if (known === undefined) {
      const { type: name, site = null } = this.keys(type);
      this.isOne.set(type, (known = site !== null || this.isRecord(name)));
    }
    return known;
  }
}

/**
 * What the classes cost, beyond an L1 hit, and together at most what the accesses waited: one that goes over the end of
 * a line may miss both lines, and waits once.
 */
function waitedCycles(get: (counter: string) => number, machine: Profile['machine']): ReturnType<typeof cyclesByClass> {
  const cycles = cyclesByClass(get, machine);
  const all = LEVELS.reduce((sum, level) => sum + CLASSES.reduce((own, name) => own + cycles[level][name], 0), 0);
  const waited = all === 0 ? 1 : Math.min(1, get('missLatencyCycles') / all);
  const part = (level: LevelName): ClassCounts =>
    Object.fromEntries(CLASSES.map((name) => [name, cycles[level][name] * waited])) as ClassCounts;
  return { l1: part('l1'), l2: part('l2'), llc: part('llc') };
}

/** By number of the subject. An access to several fields is a reference to each; who waits for it is the first. */
function fieldCosts(subjects: Subjects, spans: FieldSpans): Map<number, FieldCost[]> {
  const { tallies, strings } = subjects.profile;
  const fields = new Map<number, Map<string, { -readonly [Key in keyof FieldCost]: FieldCost[Key] }>>();
  const add = (subject: number, field: string, own: CounterSums, missLatencyCycles: number): void => {
    const known = fields.get(subject) ?? new Map();
    fields.set(subject, known);
    const cost = known.get(field) ?? { field, loads: 0, stores: 0, references: 0, missLatencyCycles: 0 };
    known.set(field, cost);
    cost.loads += own.get('loads');
    cost.stores += own.get('stores');
    cost.references += own.references;
    cost.missLatencyCycles += missLatencyCycles;
  };
  const byField = sumBy(tallies, (row) =>
    subjects.fieldAt(row) === null ? null : subjects.keyOf(row) * (strings.length + 1) + tallies.field[row],
  );
  for (const [key, own] of byField) {
    const [subject, field] = [Math.floor(key / (strings.length + 1)), strings[key % (strings.length + 1)]];
    add(subject, field, own, own.get('missLatencyCycles'));
  }
  const further = Array.from(tallies.type, (_, row) => {
    const field = subjects.fieldAt(row);
    return field === null ? [] : spans(subjects.typeAt(row), field, subjects.placeAt(row));
  });
  for (const [row, own] of sumBy(tallies, (row) => (further[row].length === 0 ? null : row)))
    for (const field of further[row]) add(subjects.keyOf(row), field, own, 0);
  return new Map([...fields].map(([subject, own]) => [subject, [...own.values()]]));
}

/** By class: what has most of its cycles. */
function mostByClass(
  profile: Profile,
  keyOf: (row: number) => number,
): Record<MissClass, (key: number) => MostMissesAt> {
  const { tallies, machine } = profile;
  const costs = Array.from({ length: tallies.type.length }, (_, row) => {
    const at = row * COUNTERS.length;
    if (L1_MISSES.every((counter) => tallies.counters[at + counter] === 0)) return null;
    return cyclesByClass((counter) => tallies.counters[at + counterIndex(counter)], machine);
  });
  const most = CLASSES.map((name) => {
    const counters = LEVELS.map((level) => counterIndex(`${level}.${name}`));
    return [
      name,
      mostBy(profile, keyOf, (row) => {
        const own = costs[row];
        const misses = counters.reduce((sum, at) => sum + tallies.counters[row * COUNTERS.length + at], 0);
        return { cycles: own === null ? 0 : LEVELS.reduce((sum, level) => sum + own[level][name], 0), misses };
      }),
    ];
  });
  return Object.fromEntries(most);
}

const L1_MISSES = ['l1.missLoads', 'l1.missStores'].map(counterIndex);
