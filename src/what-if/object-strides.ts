// Stage: trace -> what-if. Which distances between accesses come most often, of each large object.

import type { SimObject } from '../sim/sim-object.js';
import { LEAST_STRIDE, LEAST_STRIDED, MOST_STRIDES, type Strides } from './survey-columns.js';

interface OwnStrides {
  last: number;
  thread: number;
  readonly bytes: Float64Array;
  readonly times: Float64Array;
}

export class ObjectStrides {
  private readonly all = new Map<number, OwnStrides>();

  access({ number, sizeBytes }: SimObject, thread: number, address: number): void {
    if (sizeBytes < LEAST_STRIDED) return;
    const own = this.all.get(number);
    if (own === undefined) {
      const [bytes, times] = [new Float64Array(MOST_STRIDES), new Float64Array(MOST_STRIDES)];
      this.all.set(number, { last: address, thread, bytes, times });
      return;
    }
    const distance = Math.abs(address - own.last);
    const isSame = own.thread === thread;
    [own.last, own.thread] = [address, thread];
    if (isSame && distance >= LEAST_STRIDE) count(own, distance);
  }

  get table(): Strides {
    const rows = [...this.all].sort(([a], [b]) => a - b);
    const cells = (of: (own: OwnStrides) => Float64Array): Float64Array =>
      Float64Array.from(rows.flatMap(([, own]) => [...of(own)]));
    return {
      object: Uint32Array.from(rows, ([object]) => object),
      bytes: cells(({ bytes }) => bytes),
      times: cells(({ times }) => times),
    };
  }
}

function count({ bytes, times }: OwnStrides, distance: number): void {
  const known = times.findIndex((own, at) => own > 0 && bytes[at] === distance);
  const at = known >= 0 ? known : times.indexOf(0);
  if (at < 0) {
    for (let own = 0; own < MOST_STRIDES; own++) times[own]--;
    return;
  }
  bytes[at] = distance;
  times[at]++;
}
