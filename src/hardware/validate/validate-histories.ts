// Stage: validation. Histories and what a trace of the same run has of their objects -> verdict, counts and every
// exception with its reason: exactly the JSON of `dprof validate TRACE HISTORIES --format json`.

import { fieldAt, type Histories } from '../histories/histories.js';
import { elementSites, type ElementSite } from './element-sites.js';
import { matchObject, type Exception, type ObjectMatch } from './match-object.js';
import { NONE } from './align.js';
import { pairThreads, type SeenByThread } from './pair-threads.js';
import {
  ACCESS_REASONS,
  ELEMENT_REASONS,
  ORDER_REASONS,
  type AccessReason,
  type ElementReason,
  type OrderReason,
} from './reasons.js';
import type { TracedObject, TracedObjects } from './traced-objects.js';

export type Verdict = 'agrees' | 'differs' | 'nothing-seen';

export interface TypeValidation {
  readonly type: string;
  readonly histories: number;
  readonly elements: number;
  readonly inTrace: number;
  readonly explained: number;
  readonly unexplained: number;
}

/** The exceptions of one place, slot and reason. */
export interface ExceptionRow {
  /** Who has it: a register and not the trace, the trace and no register, or both in another order. */
  readonly side: Exception['side'];
  readonly reason: ElementReason | AccessReason | OrderReason;
  readonly type: string;
  readonly offset: number;
  readonly field: string;
  readonly kind: string | null;
  readonly function: string;
  readonly site: string;
  readonly count: number;
  /** The first history that has one, from 1. */
  readonly history: number;
}

export interface HistoriesValidation {
  readonly schema: 'dprof.validate/1';
  readonly of: 'histories';
  readonly verdict: Verdict;
  readonly trace: string;
  readonly histories: string;
  readonly truncated: { readonly trace: boolean; readonly histories: boolean };
  readonly objects: { readonly watched: number; readonly inTrace: number };
  readonly elements: {
    readonly seen: number;
    readonly instrumented: number;
    readonly inTrace: number;
    readonly agreement: ObjectMatch['inTrace'];
    readonly reasons: Readonly<Record<ElementReason, number>>;
  };
  readonly accesses: {
    readonly traced: number;
    readonly seen: number;
    readonly afterLetGo: number;
    readonly reasons: Readonly<Record<AccessReason, number>>;
  };
  readonly order: {
    readonly ofThread: number;
    readonly betweenThreads: number;
    readonly reasons: Readonly<Record<OrderReason, number>>;
  };
  readonly threads: readonly { readonly tid: number; readonly thread: number | null }[];
  readonly types: readonly TypeValidation[];
  readonly rows: readonly ExceptionRow[];
}

export function validateHistories(
  histories: Histories,
  traced: TracedObjects,
  names: { readonly trace: string; readonly histories: string },
): HistoriesValidation {
  const sites = elementSites(histories, traced);
  const threads = threadsOf(histories, traced);
  const context = { histories, sites, tracedSites: traced.sites, threads, truncated: traced.truncated };
  const matches = traced.objects.map((object, row) =>
    object === null ? absent(row, histories, sites) : matchObject(row, object, context),
  );
  const rows = groupExceptions(histories, traced, matches, sites);
  const all = matches.flatMap(({ exceptions }) => exceptions);
  const count = <Reason extends string>(side: Exception['side'], reasons: readonly Reason[]): Record<Reason, number> =>
    Object.fromEntries(
      reasons.map((reason) => [reason, all.filter((each) => each.side === side && each.reason === reason).length]),
    ) as Record<Reason, number>;
  const agreement = { line: 0, function: 0, code: 0, foreign: 0 };
  for (const { inTrace } of matches)
    for (const how of Object.keys(agreement) as (keyof typeof agreement)[]) agreement[how] += inTrace[how];
  const inTrace = sum(Object.values(agreement));
  const seen = histories.elements.ip.length;
  const isDifferent = all.some(({ reason }) => reason === 'unexplained');
  return {
    schema: 'dprof.validate/1',
    of: 'histories',
    verdict: isDifferent ? 'differs' : inTrace === 0 ? 'nothing-seen' : 'agrees',
    ...names,
    truncated: { trace: traced.truncated, histories: histories.truncated },
    objects: { watched: traced.objects.length, inTrace: traced.objects.filter((object) => object !== null).length },
    elements: {
      seen,
      instrumented: sum(Array.from(histories.elements.ip, (ip) => (sites.get(ip)!.foreign === null ? 1 : 0))),
      inTrace,
      agreement,
      reasons: count('register', ELEMENT_REASONS),
    },
    accesses: {
      traced: sum(matches.map(({ accesses }) => accesses)),
      seen: inTrace,
      afterLetGo: sum(matches.map(({ afterLetGo }) => afterLetGo)),
      reasons: count('trace', ACCESS_REASONS),
    },
    order: {
      ofThread: sum(matches.map(({ ordered }) => ordered.ofThread)),
      betweenThreads: sum(matches.map(({ ordered }) => ordered.betweenThreads)),
      reasons: count('order', ORDER_REASONS),
    },
    threads: [...new Set(histories.elements.thread)]
      .sort((a, b) => a - b)
      .map((tid) => ({ tid, thread: threads.get(tid) ?? null })),
    types: typesOf(histories, matches),
    rows,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The trace has no such object: nothing that registers saw of it in instrumented code is explained. */
function absent(
  row: number,
  { elements, firstElement }: Histories,
  sites: ReadonlyMap<number, ElementSite>,
): ObjectMatch {
  const exceptions = Array.from({ length: firstElement[row + 1] - firstElement[row] }, (_, index): Exception => {
    const element = firstElement[row] + index;
    return {
      side: 'register',
      reason: sites.get(elements.ip[element])!.foreign ?? 'unexplained',
      element,
      access: NONE,
      slot: elements.offset[element],
    };
  });
  return {
    inTrace: { line: 0, function: 0, code: 0, foreign: 0 },
    accesses: 0,
    afterLetGo: 0,
    ordered: { ofThread: 0, betweenThreads: 0 },
    exceptions,
  };
}

function threadsOf(histories: Histories, traced: TracedObjects): Map<number, number> {
  const { rows, elements, firstElement, places } = histories;
  const certain = new Map([[traced.pid, 0]]);
  const objects: SeenByThread[] = [];
  const bump = (by: Map<number, Map<string, number>>, thread: number, name: string): void => {
    if (!by.has(thread)) by.set(thread, new Map());
    by.get(thread)!.set(name, (by.get(thread)!.get(name) ?? 0) + 1);
  };
  traced.objects.forEach((object, row) => {
    if (object === null) return;
    certain.set(rows.allocatedThread[row], object.thread);
    const seen = new Map<number, Map<string, number>>();
    const others = new Map<number, Map<string, number>>();
    for (let element = firstElement[row]; element < firstElement[row + 1]; element++)
      bump(seen, elements.thread[element], places.get(elements.ip[element])?.function ?? '');
    object.site.forEach((site, access) => bump(others, object.by[access], traced.sites[site].function));
    objects.push({ seen, traced: others });
  });
  return pairThreads(certain, objects);
}

function typesOf({ types, rows }: Histories, matches: readonly ObjectMatch[]): TypeValidation[] {
  return types.flatMap((type, number) => {
    const own = matches.filter((_, row) => rows.type[row] === number);
    if (own.length === 0) return [];
    const left = own.flatMap(({ exceptions }) => exceptions).filter(({ side }) => side === 'register');
    const inTrace = sum(own.flatMap((match) => Object.values(match.inTrace)));
    const unexplained = left.filter(({ reason }) => reason === 'unexplained').length;
    return [
      {
        type: type.name,
        histories: own.length,
        elements: inTrace + left.length,
        inTrace,
        explained: left.length - unexplained,
        unexplained,
      },
    ];
  });
}

function groupExceptions(
  { types, rows, elements }: Histories,
  { sites, objects }: TracedObjects,
  matches: readonly ObjectMatch[],
  elementSite: ReadonlyMap<number, ElementSite>,
): ExceptionRow[] {
  const groups = new Map<string, ExceptionRow & { count: number }>();
  matches.forEach(({ exceptions }, row) => {
    const type = types[rows.type[row]];
    for (const { side, reason, element, access, slot } of exceptions) {
      const place = element === NONE ? undefined : elementSite.get(elements.ip[element])?.place;
      const site = side === 'trace' ? sites[objects[row]!.site[access]] : null;
      const at = place ?? site;
      const where =
        at === undefined || at === null ? '' : at.file === '' ? (place?.module ?? '') : `${at.file}:${at.line}`;
      const key = [side, reason, type.name, slot, at?.function, where, site?.kind].join('\n');
      const group = groups.get(key);
      if (group) group.count++;
      else {
        const bytes = type.slots.find(({ offset }) => offset === slot)?.bytes ?? 1;
        groups.set(key, {
          side,
          reason,
          type: type.name,
          offset: slot,
          field: fieldAt(type, slot, bytes),
          kind: site?.kind ?? null,
          function: at?.function ?? '',
          site: where,
          count: 1,
          history: row + 1,
        });
      }
    }
  });
  const weight = (group: ExceptionRow): number => (group.reason === 'unexplained' ? 1 : 0);
  return [...groups]
    .sort(
      ([keyA, a], [keyB, b]) =>
        weight(b) - weight(a) || b.count - a.count || a.offset - b.offset || (keyA < keyB ? -1 : 1),
    )
    .map(([, group]) => group);
}

/** Whether an object of the histories is one of the trace at all. */
export function hasCommonObjects(objects: readonly (TracedObject | null)[]): boolean {
  return objects.some((object) => object !== null);
}
