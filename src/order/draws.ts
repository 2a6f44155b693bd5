// Stage: trace -> replay. The numbers that a random schedule is drawn with: 32-bit arithmetic alone, so that
// engine/order/draws.h draws the same.

import { finalise } from '../base/finaliser.js';

const LARGEST_QUANTUM_BITS = 8;

export class Draws {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** One of [0, bound). */
  below(bound: number): number {
    return this.draw() % bound;
  }

  /** Instructions of a turn: short ones are as likely as long ones. */
  quantum(): number {
    const bits = this.below(LARGEST_QUANTUM_BITS + 1);
    return 1 + this.below(2 ** bits);
  }

  private draw(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    return finalise(this.state);
  }
}
