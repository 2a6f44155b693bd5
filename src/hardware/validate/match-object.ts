// Stage: validation. One watched object: what registers saw of it, beside what the trace has of it. Pure: by thread and
// slot the two sequences are aligned; what is left over gets its reason; what is in both is held against the trace's
// order.

import { ENDINGS, type Histories } from '../histories/histories.js';
import { align, NONE } from './align.js';
import { agreement, matchCost, type Agreement, type ElementSite } from './element-sites.js';
import type { AccessReason, ElementReason, OrderReason } from './reasons.js';
import { KERNEL_SITE, type TracedObject, type TracedSite } from './traced-objects.js';

/** Left over, or in another order. `element` and `access` are rows of the tables; NONE: there is none. */
export type Exception =
  | {
      readonly side: 'register';
      readonly reason: ElementReason;
      readonly element: number;
      readonly access: number;
      readonly slot: number;
    }
  | {
      readonly side: 'trace';
      readonly reason: AccessReason;
      readonly element: number;
      readonly access: number;
      readonly slot: number;
    }
  | {
      readonly side: 'order';
      readonly reason: OrderReason;
      readonly element: number;
      readonly access: number;
      readonly slot: number;
    };

export interface ObjectMatch {
  /**
   * Elements that are in the trace, by how well their places agree; `foreign`: a block operation that ran in code of
   * others.
   */
  readonly inTrace: Readonly<Record<Agreement | 'foreign', number>>;
  /** In the trace while it was watched: an access to bytes of two slots counts in each. */
  readonly accesses: number;
  /** For an object that was let go before its end: accesses of the trace after the last one that was seen. */
  readonly afterLetGo: number;
  /**
   * Accesses of one thread that have one before them, and accesses of a thread that have one of another before them.
   */
  readonly ordered: { readonly ofThread: number; readonly betweenThreads: number };
  readonly exceptions: readonly Exception[];
}

export interface MatchContext {
  readonly histories: Histories;
  readonly sites: ReadonlyMap<number, ElementSite>;
  readonly tracedSites: readonly TracedSite[];
  /** The kernel's numbers to the trace's. */
  readonly threads: ReadonlyMap<number, number>;
  readonly truncated: boolean;
}

const SKIP_UNSEEN = 8;
const SKIP_BESIDE = 1;
const SKIP_FOREIGN = 1.5;
const SKIP_PIECE = 1;
const SKIP_MISSING = 12;

/** The accesses of one thread to one slot: rows of both tables. */
interface Lane {
  readonly slot: number;
  readonly tid: number | undefined;
  readonly elements: readonly number[];
  readonly accesses: readonly number[];
}

export function matchObject(row: number, object: TracedObject, context: MatchContext): ObjectMatch {
  const { histories, threads } = context;
  const inTrace = { line: 0, function: 0, code: 0, foreign: 0 };
  const exceptions: Exception[] = [];
  const accessOf = new Map<number, number>();
  const afterwards = { count: 0 };
  let accesses = 0;
  const lanes = lanesOf(row, object, histories, threads);
  const lastSeen = wasLetGo(row, histories) ? lastSeenBy(lanes, object, context) : null;
  for (const lane of lanes) {
    accesses += lane.accesses.length;
    matchLane(lane, object, context, lastSeen, { inTrace, exceptions, accessOf, afterwards });
  }
  const met = new Set(accessOf.values());
  const watched = slotsOf(row, histories);
  const judged = exceptions.map((each): Exception => {
    if (each.side !== 'trace' || each.reason !== 'unexplained') return each;
    // An access to bytes of two slots, of which the code generator touches one: only those bytes are used.
    if (met.has(each.access)) return { ...each, reason: 'narrowed' };
    const isBlock = context.tracedSites[object.site[each.access]].kind === 'block';
    return isBlock || isWithin(object.offset[each.access], object.bytes[each.access], watched)
      ? each
      : { ...each, reason: 'partly-watched' };
  });
  const ordered = checkOrder(row, object, histories, accessOf, judged);
  return { inTrace, accesses: accesses - afterwards.count, afterLetGo: afterwards.count, ordered, exceptions: judged };
}

function wasLetGo(row: number, { rows, end }: Histories): boolean {
  return end === null || !['free', 'exit'].includes(ENDINGS[rows.ending[row]]);
}

/**
 * For an object that was let go: the last access that a register saw, of any slot, by thread of the trace. No access
 * before it came after letting go.
 */
function lastSeenBy(lanes: readonly Lane[], object: TracedObject, context: MatchContext): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (const lane of lanes) {
    const accessOf = new Map<number, number>();
    matchLane(lane, object, context, new Map(), {
      inTrace: { line: 0, function: 0, code: 0, foreign: 0 },
      exceptions: [],
      accessOf,
      afterwards: { count: 0 },
    });
    for (const access of accessOf.values())
      last.set(object.by[access], Math.max(last.get(object.by[access]) ?? NONE, access));
  }
  return last;
}

type Slots = readonly { readonly offset: number; readonly bytes: number }[];

function slotsOf(row: number, { types, rows }: Pick<Histories, 'types' | 'rows'>): Slots {
  const type = types[rows.type[row]];
  return type.watches[rows.watch[row]].map((slot) => type.slots[slot]);
}

/** Whether registers watched each of so many bytes. */
function isWithin(offset: number, bytes: number, slots: Slots): boolean {
  return (
    slots.reduce(
      (sum, slot) =>
        sum + Math.max(0, Math.min(offset + bytes, slot.offset + slot.bytes) - Math.max(offset, slot.offset)),
      0,
    ) === bytes
  );
}

function lanesOf(
  row: number,
  object: TracedObject,
  { types, rows, elements, firstElement }: Histories,
  threads: ReadonlyMap<number, number>,
): Lane[] {
  const slots = slotsOf(row, { types, rows });
  const lanes = new Map<string, { slot: number; tid: number | undefined; elements: number[]; accesses: number[] }>();
  const lane = (slot: number, tid: number | undefined, key: string) => {
    const name = `${slot} ${key}`;
    if (!lanes.has(name)) lanes.set(name, { slot, tid, elements: [], accesses: [] });
    return lanes.get(name)!;
  };
  for (let element = firstElement[row]; element < firstElement[row + 1]; element++) {
    const tid = elements.thread[element];
    lane(elements.offset[element], tid, `${threads.get(tid) ?? `kernel ${tid}`}`).elements.push(element);
  }
  const tids = new Map(Array.from(threads, ([tid, thread]) => [thread, tid]));
  object.offset.forEach((offset, access) => {
    for (const slot of slots) {
      if (offset < slot.offset + slot.bytes && offset + object.bytes[access] > slot.offset)
        lane(slot.offset, tids.get(object.by[access]), `${object.by[access]}`).accesses.push(access);
    }
  });
  return [...lanes.values()];
}

interface Found {
  readonly inTrace: Record<Agreement | 'foreign', number>;
  readonly exceptions: Exception[];
  readonly accessOf: Map<number, number>;
  readonly afterwards: { count: number };
}

function matchLane(
  { slot, tid, elements, accesses }: Lane,
  object: TracedObject,
  { histories, sites, tracedSites, truncated }: MatchContext,
  lastSeen: ReadonlyMap<number, number> | null,
  found: Found,
): void {
  const siteOf = elements.map((element) => sites.get(histories.elements.ip[element])!);
  const tracedSite = accesses.map((access) => tracedSites[object.site[access]]);
  const isBeside = (a: number, b: number): boolean =>
    b >= 0 && b < accesses.length && object.step[accesses[a]] === object.step[accesses[b]];
  const endsStep = (a: number): boolean => !isBeside(a, a + 1);
  /** Another instruction of what the element before it did: code generators cut an access in two. */
  const isSplit = (e: number): boolean =>
    e > 0 && siteOf[e].ip !== siteOf[e - 1].ip && siteOf[e].foreign === null && samePlace(siteOf[e], siteOf[e - 1]);
  /** A block operation, which may be several instructions or one that repeats. */
  const isPiece = (e: number, a: number): boolean =>
    a >= 0 &&
    tracedSite[a].kind === 'block' &&
    siteOf[e].foreign !== 'recorder' &&
    (siteOf[e].foreign !== null || agreement(siteOf[e], tracedSite[a]) !== null);

  const { end } = histories;
  const mayBeAfter = (a: number): boolean =>
    lastSeen !== null && accesses[a] > (lastSeen.get(object.by[accesses[a]]) ?? NONE);
  const accessOf = align(elements.length, accesses.length, {
    match: (e, a) => matchCost(siteOf[e], tracedSite[a]),
    skipElement: (e, a) =>
      isPiece(e, a)
        ? SKIP_PIECE
        : siteOf[e].foreign !== null
          ? SKIP_FOREIGN
          : isSplit(e)
            ? SKIP_BESIDE * 4
            : SKIP_MISSING,
    // After the last access that was seen, no register may have watched any more. One instruction may be several
    // accesses of a step, but it is at least one.
    skipAccess: (a, e, isMet) => {
      if (object.site[accesses[a]] === KERNEL_SITE || (e === elements.length && mayBeAfter(a))) return 0;
      return isMet || !endsStep(a) ? SKIP_BESIDE : SKIP_UNSEEN;
    },
    endsStep,
  });

  const seenBy = new Int32Array(accesses.length).fill(NONE);
  let last = NONE;
  let lastElement = NONE;
  accessOf.forEach((a, e) => {
    if (a === NONE) return;
    seenBy[a] = e;
    last = a;
    lastElement = e;
    found.accessOf.set(elements[e], accesses[a]);
    found.inTrace[siteOf[e].foreign !== null ? 'foreign' : agreement(siteOf[e], tracedSite[a])!]++;
  });

  /** Whether it is the same foreign function that was seen to do the block operation. */
  const isOfSame = (e: number, a: number): boolean =>
    seenBy[a] !== NONE &&
    siteOf[seenBy[a]].foreign !== null &&
    siteOf[seenBy[a]].place?.within === siteOf[e].place?.within;
  let before = NONE;
  accessOf.forEach((a, e) => {
    if (a !== NONE) {
      before = a;
      return;
    }
    const reason = ((): ElementReason => {
      if (isPiece(e, before) && (siteOf[e].foreign === null || isOfSame(e, before))) return 'block-piece';
      if (siteOf[e].foreign !== null) return siteOf[e].foreign!;
      if (isSplit(e) && accessOf[e - 1] !== NONE) return 'split';
      if (hasGap(object, accesses, before)) return 'gap';
      return truncated && e > lastElement ? 'truncated' : 'unexplained';
    })();
    found.exceptions.push({
      side: 'register',
      reason,
      element: elements[e],
      access: before === NONE ? NONE : accesses[before],
      slot,
    });
  });

  const first = seenBy.findIndex((e) => e !== NONE);
  accesses.forEach((access, a) => {
    if (a > last && mayBeAfter(a)) return void found.afterwards.count++;
    if (seenBy[a] !== NONE) return;
    const reason = ((): AccessReason => {
      if (object.site[access] === KERNEL_SITE) return 'kernel';
      if (isSeenBeside(a, seenBy, isBeside)) return 'one-instruction';
      if (end !== null && end.lost > 0) return 'lost';
      if (
        end !== null &&
        ((end.unwatchedThreads > 0 && tid === undefined) || (end.lateThreads > 0 && (first === -1 || a < first)))
      )
        return 'unwatched-thread';
      return 'unexplained';
    })();
    found.exceptions.push({ side: 'trace', reason, element: NONE, access, slot });
  });
}

const samePlace = ({ place: a }: ElementSite, { place: b }: ElementSite): boolean =>
  a !== undefined && b !== undefined && a.within === b.within && a.function === b.function && a.line === b.line;

function isSeenBeside(a: number, seenBy: Int32Array, isBeside: (a: number, b: number) => boolean): boolean {
  for (let b = a - 1; isBeside(a, b); b--) if (seenBy[b] !== NONE) return true;
  for (let b = a + 1; isBeside(a, b); b++) if (seenBy[b] !== NONE) return true;
  return false;
}

/** Between the access before the element and the one behind it. */
function hasGap({ gaps }: TracedObject, accesses: readonly number[], before: number): boolean {
  const from = before === NONE ? 0 : gaps[accesses[before]];
  const to = before + 1 < accesses.length ? gaps[accesses[before + 1]] : NONE;
  return to === NONE ? false : to > from;
}

/**
 * Elements are in the order of time. Within a thread the trace must have them in that order; between threads, its
 * stamps must allow it.
 */
function checkOrder(
  row: number,
  object: TracedObject,
  { elements, firstElement }: Histories,
  accessOf: ReadonlyMap<number, number>,
  exceptions: Exception[],
): ObjectMatch['ordered'] {
  const latest = new Map<number, number>();
  let ofThread = 0;
  let betweenThreads = 0;
  /** The largest lower bound of what came before, and whose it is; and that of other threads. */
  let bound = { stamp: -1n, by: NONE };
  let others = { stamp: -1n, by: NONE };
  for (let element = firstElement[row]; element < firstElement[row + 1]; element++) {
    const access = accessOf.get(element);
    if (access === undefined) continue;
    const by = object.by[access];
    const before = latest.get(by);
    const except = (reason: OrderReason): void =>
      void exceptions.push({ side: 'order', reason, element, access, slot: elements.offset[element] });
    if (before !== undefined) {
      ofThread++;
      if (access < before) except(object.step[access] === object.step[before] ? 'one-segment' : 'unexplained');
    }
    latest.set(by, Math.max(access, before ?? access));
    const rival = bound.by === by ? others : bound;
    if (rival.by !== NONE) {
      betweenThreads++;
      if (object.before[access] <= rival.stamp) except('unexplained');
    }
    const own = { stamp: object.after[access], by };
    if (bound.by === NONE || bound.by === by) bound = own.stamp > bound.stamp ? own : bound;
    else if (own.stamp > bound.stamp) {
      others = bound;
      bound = own;
    } else if (own.stamp > others.stamp) others = own;
  }
  return { ofThread, betweenThreads };
}
