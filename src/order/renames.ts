// Stage: trace -> replay. Memory that the order hands out before it was given back: it lives at a place of its own
// until it is given back, as a register that a processor renames. docs/replay/order.md, "Renamed memory".

import { NO_RANGE, RangeMap } from '../base/range-map.js';
import type { Catalog } from '../contract/catalog.js';
import type { ReplayInput } from '../contract/input.js';
import type { EventColumn } from '../trace/event-column.js';
import type { EventDecoder } from '../trace/event-decoder.js';
import { Allocator, EventCode } from '../trace/layout.js';
import { hasAddress, setWord, visitAddresses, wordOf } from './step-addresses.js';

/** Places of one address lie so far apart: a multiple of every usual number of sets, and of every size of page. */
const STRIDE_BYTES = 315 * 2 ** 31;
const FIRST_PLACE = Math.ceil(2 ** 52 / STRIDE_BYTES) * STRIDE_BYTES;
const MOST_PLACES = 4096;
/** With more processes, their own addresses reach as far as the places. */
const MOST_PROCESSES = 30;
const NEVER = -1n;
const MASK = 0xffff_ffff_ffff_ffffn;

/** What an address means from the key of an allocation or thread start on. */
interface Generation {
  readonly key: bigint;
  readonly begin: number;
  readonly end: number;
  /** To be added to its addresses; 0: it is where the program had it, over others that are renamed. */
  readonly shift: number;
}

/** Whether this ALLOCATE or THREAD_START may be renamed. Parts lie in other memory, and mappings end piece by piece. */
export function isRenamable({ code, detail }: EventColumn): boolean {
  return code !== EventCode.allocate || (detail !== Allocator.part && detail !== Allocator.mmap);
}

export class Renames {
  /** By address: the number of a list of the generations that live there, the oldest first. */
  private readonly ranges = new RangeMap();
  private readonly lists = new Map<number, readonly Generation[]>();
  private listCount = 0;
  /** The places that are taken. */
  private readonly places = new RangeMap();
  private living = 0;
  /** It ends once the step at hand is replayed. */
  private ending: Generation | null = null;
  private readonly arePlaces: boolean;

  constructor(
    private readonly catalog: Catalog,
    processes: ReplayInput['processes'],
  ) {
    this.arePlaces = (processes?.length ?? 0) <= MOST_PROCESSES;
  }

  /** Nothing is anywhere else than the program had it. */
  get isEmpty(): boolean {
    return this.living === 0;
  }

  /** The key with which the memory at `address` began that a thread means which is at `key`; -1: the oldest. */
  birthAt(address: bigint, key: bigint): bigint {
    return this.generationAt(Number(address), key)?.key ?? NEVER;
  }

  /** Memory that was not given back is handed out. False: there is no place for it. */
  rename(begin: number, end: number, key: bigint): boolean {
    if (!this.arePlaces) return false;
    for (let number = 0; number < MOST_PLACES; number++) {
      const place = FIRST_PLACE + number * STRIDE_BYTES + (begin % STRIDE_BYTES);
      if (place + (end - begin) > Number.MAX_SAFE_INTEGER) return false;
      if (this.places.overlaps(place, place + (end - begin))) continue;
      this.places.put(place, place + (end - begin), 0);
      this.add({ key, begin, end, shift: place - begin });
      return true;
    }
    return false;
  }

  /** Memory that was given back is handed out: it lies where the program had it, or in the renamed memory around it. */
  keep(begin: number, end: number, key: bigint): void {
    if (this.isEmpty || begin >= end || !this.ranges.overlaps(begin, end)) return;
    const around = this.generationAt(begin, key);
    if (around === null || around.end < end) this.add({ key, begin, end, shift: 0 });
  }

  /** The generation that this FREE or THREAD_END ends will be gone with the next call of `forget`. */
  end({ code, detail, address, stamp }: EventColumn): void {
    if (this.isEmpty || (code === EventCode.free && detail >= Allocator.mmap)) return;
    const generation = this.generationAt(Number(address), stamp);
    if (generation?.begin === Number(address)) this.ending = generation;
  }

  forget(): void {
    if (this.ending) this.remove(this.ending);
    this.ending = null;
  }

  place(address: number, key: bigint): number {
    return address + (this.generationAt(address, key)?.shift ?? 0);
  }

  /** Moves the addresses of a step, of a thread whose last stamp is `key`, to where the memory is. */
  placeStep(step: EventDecoder, key: bigint): void {
    const { events } = step;
    if (!step.isRecord) {
      if (hasAddress(events)) events.address = this.placeWide(events.address, key);
      if (events.code === EventCode.allocate) events.pool = this.place(events.pool, key);
      return;
    }
    visitAddresses(step, this.catalog, (word, offset) => {
      const address = wordOf(step, word);
      const active = (address + BigInt(offset)) & MASK;
      setWord(step, word, address + this.placeWide(active, key) - active);
    });
  }

  private placeWide(address: bigint, key: bigint): bigint {
    return address > BigInt(Number.MAX_SAFE_INTEGER) ? address : BigInt(this.place(Number(address), key));
  }

  private generationAt(address: number, key: bigint): Generation | null {
    const number = this.ranges.find(address);
    if (number === NO_RANGE) return null;
    return this.lists.get(number)!.findLast((generation) => generation.key <= key) ?? null;
  }

  private add(generation: Generation): void {
    const { begin, end } = generation;
    const before = this.ranges.overlapping(begin, end);
    this.ranges.put(begin, end, this.listOf([generation]));
    for (const range of before) {
      const list = this.lists.get(range.value)!;
      const at = list.findLastIndex((other) => other.key <= generation.key) + 1;
      const number = this.listOf(list.toSpliced(at, 0, generation));
      this.ranges.put(Math.max(begin, range.begin), Math.min(end, range.end), number);
    }
    this.living++;
  }

  private remove(generation: Generation): void {
    for (const { begin, end, value } of this.ranges.overlapping(generation.begin, generation.end)) {
      const list = this.lists.get(value)!.filter((other) => other !== generation);
      if (list.length === this.lists.get(value)!.length) continue;
      if (list.length === 0) this.ranges.clear(begin, end);
      else this.ranges.put(begin, end, this.listOf(list));
    }
    const place = generation.begin + generation.shift;
    if (generation.shift !== 0) this.places.clear(place, generation.end + generation.shift);
    this.living--;
  }

  private listOf(list: readonly Generation[]): number {
    this.lists.set(this.listCount, list);
    return this.listCount++;
  }
}
