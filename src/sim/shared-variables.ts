// Stage: replay. Accesses by address, slot and thread, to what is left of them: those to addresses that several threads
// refer to about equally often, by slot, variable and thread. docs/threads.md, "Shared variables". An address is one
// for as long as the object lives that it lies in.

import { NO_INDEX } from '../base/ids.js';
import {
  SHARED_VARIABLE_COLUMNS,
  type SharedAddresses,
  type SharedVariablesRequest,
  type SharedVariableTable,
} from '../contract/threads-result.js';
import type { Catalog } from '../contract/catalog.js';
import type { Labels } from './labels.js';
import type { SimObject } from './sim-object.js';
import { tableOf } from './table.js';
import { fieldOf } from './typing.js';

/** Slots are numbered below it. */
const SLOTS = 2 ** 26;
/** The life number of addresses in no object. */
const NO_LIFE = 0;

/** By slot and thread. */
type Counts = Map<number, number>;

interface Row {
  readonly slot: number;
  readonly label: number;
  readonly leaf: number;
  readonly variable: number;
  readonly thread: number;
  accesses: number;
}

export class SharedVariables {
  /** By life, then by address. */
  private readonly lives = new Map<number, Map<number, Counts>>();
  private readonly rows = new Map<string, Row>();
  private counts = 0;
  private shared = 0;
  private kept = 0;
  private isFull = false;
  private uncounted = 0;

  constructor(
    private readonly request: SharedVariablesRequest,
    /** Lines that several threads refer to: of others no address is shared. */
    private readonly lines: ThreadLines,
    private readonly catalog: Catalog,
    private readonly labels: Labels,
  ) {}

  access(thread: number, address: number, slot: number, object: SimObject | null): void {
    if (!this.lines.isOfSeveral(address)) return;
    const life = object?.lifeNumber ?? NO_LIFE;
    const counts = this.lives.get(life)?.get(address);
    const key = thread * SLOTS + slot;
    const count = counts?.get(key);
    if (counts !== undefined && count !== undefined) {
      counts.set(key, count + 1);
      return;
    }
    this.isFull ||= this.counts === this.request.mostCounts;
    if (this.isFull) return this.giveUp(life, address);
    this.counts++;
    this.countsOf(life, address).set(key, 1);
  }

  /** The counts of its addresses are final. */
  endLife(object: SimObject): void {
    this.settle(object.lifeNumber, object);
  }

  /** The run is over, and so is every life. */
  finish(): void {
    this.settle(NO_LIFE, null);
  }

  /** A window begins. */
  restart(): void {
    this.lives.clear();
    this.rows.clear();
    this.counts = this.shared = this.kept = this.uncounted = 0;
    this.isFull = false;
  }

  freeze(): { readonly sharedVariables: SharedVariableTable; readonly sharedAddresses: SharedAddresses } {
    return {
      sharedVariables: tableOf([...this.rows.values()], SHARED_VARIABLE_COLUMNS),
      sharedAddresses: { shared: this.shared, kept: this.kept, isFull: this.isFull, uncounted: this.uncounted },
    };
  }

  private countsOf(life: number, address: number): Counts {
    let addresses = this.lives.get(life);
    if (!addresses) this.lives.set(life, (addresses = new Map()));
    let counts = addresses.get(address);
    if (!counts) addresses.set(address, (counts = new Map()));
    return counts;
  }

  /** A count too many: of its address nothing would be exact any more. */
  private giveUp(life: number, address: number): void {
    const addresses = this.lives.get(life);
    const counts = addresses?.get(address);
    this.uncounted++;
    if (!counts) return;
    for (const count of counts.values()) this.uncounted += count;
    this.counts -= counts.size;
    addresses!.delete(address);
  }

  private settle(life: number, object: SimObject | null): void {
    for (const [address, counts] of this.lives.get(life) ?? []) {
      this.counts -= counts.size;
      const byThread = new Map<number, number>();
      for (const [key, count] of counts) byThread.set(threadOf(key), (byThread.get(threadOf(key)) ?? 0) + count);
      if (byThread.size < 2) continue;
      this.shared++;
      const [busiest, next] = [...byThread.values()].sort((a, b) => b - a);
      if (busiest >= 2 * next) continue;
      this.kept++;
      for (const [key, count] of counts) this.row(key % SLOTS, threadOf(key), object, address).accesses += count;
    }
    this.lives.delete(life);
  }

  private row(slot: number, thread: number, object: SimObject | null, address: number): Row {
    const label = this.labels.ofReference(slot, object);
    const isDeclared = object !== null && object.declared !== 0 && label === object.declared;
    const leaf = isDeclared ? fieldOf(this.catalog, slot, object, address) : NO_INDEX;
    const variable = object === null ? this.catalog.slots.variable[slot] : object.variable;
    const key = `${slot} ${label} ${leaf} ${variable} ${thread}`;
    let row = this.rows.get(key);
    if (!row) this.rows.set(key, (row = { slot, label, leaf, variable, thread, accesses: 0 }));
    return row;
  }
}

function threadOf(key: number): number {
  return Math.floor(key / SLOTS);
}

/**
 * Which lines several threads refer to with the first byte of an access, found by a replay of its own before the one
 * that counts.
 */
export class ThreadLines {
  /** By line: its only thread, or SEVERAL. */
  private readonly threads = new Map<number, number>();

  constructor(private readonly lineBytes: number) {}

  access(thread: number, address: number): void {
    const line = Math.floor(address / this.lineBytes);
    const known = this.threads.get(line);
    if (known === undefined) this.threads.set(line, thread);
    else if (known !== thread) this.threads.set(line, SEVERAL);
  }

  isOfSeveral(address: number): boolean {
    return this.threads.get(Math.floor(address / this.lineBytes)) === SEVERAL;
  }
}

const SEVERAL = -1;
