// Stage: profiles -> views. A sweep: one level's size tried from small to large, and the misses of that level by type
// (field, function, line, core) at each size.

import { isTypeAsked } from '../base/type-name.js';
import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import type { Profile } from '../profile/profile.js';
import type { LevelName, Machine, Schedule } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { byMissesThenName } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { buildMissClassification } from './miss-classification.js';
import type { ObjectMissRow } from './object-misses.js';
import type { TypingLedger } from './typing-ledger.js';
import type { SiteMissRow } from './site-misses.js';
import type { WithMostMisses } from './most-misses.js';
import type { RowSite } from './split-rows.js';
import { CLASSIFIED_BY, type ClassifiedBy, type View, type ViewTotals } from './view.js';
import type { LoadsAndStores } from './data-profile-rows.js';
import type { ClassifiedRow } from './miss-rows.js';

/** Objects are left to reports of one machine: there may be millions. */
export const SWEPT_BY = CLASSIFIED_BY.filter((by): by is SweptBy => by !== 'object' && by !== 'site');
export type SweptBy = Exclude<ClassifiedBy, 'object' | 'site'>;

export interface SweepViewPoint {
  /** "8K/8". */
  readonly label: string;
  readonly sizeBytes: number;
  readonly ways: number;
  readonly machine: Machine;
  readonly totals: ViewTotals;
}

/** The subject of a row, by the keys that it has: type, field, function, line, core. */
export type SweepSubject = Readonly<Partial<Record<SweptBy, string | number | null>>>;

export type SweepRow = SweepSubject & {
  /** The same at each size. */
  readonly references: LoadsAndStores;
  /** The misses of the swept level, by point. */
  readonly misses: readonly number[];
};

export interface SweepView {
  readonly schema: string;
  readonly command: readonly string[];
  readonly ended: string;
  readonly schedule: string;
  readonly order: Schedule;
  /** As in View. */
  readonly map?: 'cpu';
  readonly cpus?: readonly CpuCore[];
  readonly truncated: boolean;
  readonly damaged?: TraceDamage;
  readonly leftOut?: LeftOut;
  readonly addressRandomisation: boolean;
  readonly threads: number;
  readonly level: LevelName;
  readonly by: SweptBy;
  /** References by rule are the same at each size; L1 misses are those of the first. */
  readonly typing: TypingLedger;
  /** Smallest first. */
  readonly points: readonly SweepViewPoint[];
  /** By the sum of their misses over all points, then name: no row that misses much anywhere is far down. */
  readonly rows: readonly SweepRow[];
}

/** The part of a point's profile that a sweep keeps. It is little, since there may be 64 points. */
export interface SweptPoint {
  /** Without its rows. */
  readonly view: View<never>;
  readonly rows: ReadonlyMap<string, SweptCounts>;
}

type SweptRow = Exclude<ClassifiedRow, ObjectMissRow | SiteMissRow>;

const NOTHING = { references: { loads: 0, stores: 0 }, misses: 0 };

interface SweptCounts {
  readonly subject: SweepSubject;
  readonly references: LoadsAndStores;
  readonly misses: number;
}

export function countPoint(profile: Profile, level: LevelName, by: SweptBy, type?: string): SweptPoint {
  // --by object and --by site, whose rows differ, are not among the choices.
  const rows = buildMissClassification(profile, { by, type }).rows as readonly SweptRow[];
  const counted = new Map<string, SweptCounts>();
  for (const row of rows) {
    const subject = subjectOf(row, by);
    if (
      subject === null ||
      (type !== undefined && typeof subject.type === 'string' && !isTypeAsked(subject.type, type))
    )
      continue;
    // Rows of one type that are told apart by their sites are one here.
    const { references, misses } = counted.get(JSON.stringify(subject)) ?? NOTHING;
    counted.set(JSON.stringify(subject), {
      subject,
      references: {
        loads: references.loads + row.references.loads,
        stores: references.stores + row.references.stores,
      },
      misses: misses + row.levels[level].misses,
    });
  }
  return { view: wrapRows<never>(profile, 'sweep', []), rows: counted };
}

/** null: a field's row among those of types. */
function subjectOf(row: SweptRow, by: SweptBy): SweepSubject | null {
  const {
    references,
    missLatencyCycles,
    levels,
    levelCycles,
    costliest,
    mostMissesAt,
    inlined,
    callPath,
    site,
    receiver,
    ...subject
  } = row as SweptRow & { inlined?: unknown } & Partial<RowSite & WithMostMisses>;
  if (by !== 'type') return subject as SweepSubject;
  const { type, field } = subject as { type: string; field: string | null };
  return field === null ? { type } : null;
}

/** `points`: in the order of the sweep. */
export function buildSweep(
  level: LevelName,
  by: SweptBy,
  points: readonly SweptPoint[],
  labels: readonly string[],
): SweepView {
  const [{ view }] = points;
  const subjects = new Map(points.flatMap(({ rows }) => [...rows]));
  const ranked = [...subjects].map(([key, { subject, references }]) => {
    const misses = points.map(({ rows }) => rows.get(key)?.misses ?? 0);
    return { key, sum: misses.reduce((sum, count) => sum + count, 0), row: { ...subject, references, misses } };
  });
  ranked.sort((a, b) => byMissesThenName(a.sum, a.key, b.sum, b.key));
  return {
    schema: 'dprof.sweep/1',
    command: view.command,
    ended: view.ended,
    schedule: view.schedule,
    order: view.order,
    ...(view.cpus && { map: 'cpu' as const, cpus: view.cpus }),
    truncated: view.truncated,
    ...(view.damaged && { damaged: view.damaged }),
    ...(view.leftOut && { leftOut: view.leftOut }),
    addressRandomisation: view.addressRandomisation,
    threads: view.threads,
    level,
    by,
    typing: view.typing,
    points: points.map(({ view: { machine, totals } }, index) => ({
      label: labels[index],
      sizeBytes: machine[level].sizeBytes,
      ways: machine[level].ways,
      machine,
      totals,
    })),
    rows: ranked.map(({ row }) => row),
  };
}

/** A row as CSV has it: a column for each size. */
export function sweepCsvRows({ points, rows }: SweepView): object[] {
  return rows.map(({ misses, ...row }) => ({
    ...row,
    misses: Object.fromEntries(points.map(({ label }, index) => [label, misses[index]])),
  }));
}
