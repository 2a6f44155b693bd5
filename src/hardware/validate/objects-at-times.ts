// Stage: validation. Addresses at times, and a replay in recorded order that goes by them -> the object that was there
// then.

import type { AccessObserver, LiveObjects } from '../../sim/access-observer.js';
import type { SimObject } from '../../sim/sim-object.js';

export interface TimedAddresses {
  /** Ascending. */
  readonly stamp: BigUint64Array;
  /** NO_ADDRESS: nothing to look for. */
  readonly address: Float64Array;
}

export const NO_ADDRESS = -1;

/** Clocks of samples and stamps agree to about this: memory without an object is asked again so much later. */
const LATE_NS = 20_000n;

export class ObjectsAtTimes implements AccessObserver {
  /** By address; undefined: none. */
  readonly object: (SimObject | undefined)[];
  /** By address: heap memory that was free. */
  readonly isFreed: Uint8Array;
  /** Found only when asked again. */
  late = 0;
  private next = 0;
  private readonly waiting: number[] = [];
  private waitingFrom = 0;
  private readonly lateStamps: bigint;
  private latest: LiveObjects | null = null;

  constructor(
    private readonly asked: TimedAddresses,
    stampsPerSecond: number,
  ) {
    this.object = new Array<SimObject | undefined>(asked.address.length);
    this.isFreed = new Uint8Array(asked.address.length);
    this.lateStamps = (LATE_NS * BigInt(Math.round(stampsPerSecond))) / 1_000_000_000n;
  }

  step(stamp: bigint, objects: LiveObjects): void {
    this.latest = objects;
    const { stamp: times } = this.asked;
    while (this.next < times.length && times[this.next] < stamp) this.look(this.next++, objects);
    while (this.waitingFrom < this.waiting.length && times[this.waiting[this.waitingFrom]] + this.lateStamps < stamp)
      this.lookAgain(this.waiting[this.waitingFrom++], objects);
  }

  /** The replay is over: what is later than its last step saw its last objects. */
  finish(): void {
    if (this.latest === null) return;
    while (this.next < this.asked.stamp.length) this.look(this.next++, this.latest);
    while (this.waitingFrom < this.waiting.length) this.lookAgain(this.waiting[this.waitingFrom++], this.latest);
  }

  private look(at: number, objects: LiveObjects): void {
    const address = this.asked.address[at];
    if (address === NO_ADDRESS) return;
    this.object[at] = objects.find(address) ?? undefined;
    if (this.object[at] !== undefined) return;
    this.isFreed[at] = Number(objects.wasFreed(address));
    this.waiting.push(at);
  }

  private lookAgain(at: number, objects: LiveObjects): void {
    const found = objects.find(this.asked.address[at]) ?? undefined;
    if (found === undefined) return;
    this.object[at] = found;
    this.late++;
  }
}
