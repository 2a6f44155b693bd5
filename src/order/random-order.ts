// Stage: trace -> replay. A random schedule: which thread goes next, and for how many instructions, is drawn from a
// seed; recorded synchronisation keeps its order.

import type { ReplayInput } from '../contract/input.js';
import type { TraceFile } from '../trace/trace-file.js';
import { BoundOrder, type OrderedThread } from './bound-order.js';
import { Draws } from './draws.js';
import type { LiveHeap } from './order.js';

export class RandomOrder extends BoundOrder {
  private readonly draws: Draws;
  private chosen: OrderedThread | null = null;
  private instructionsLeft = 0;

  constructor(file: TraceFile, input: ReplayInput, heap: LiveHeap, seed: number) {
    super(file, input, heap);
    this.draws = new Draws(seed);
  }

  protected choose(): OrderedThread | null {
    if (this.chosen) return this.chosen;
    const able = this.threads.filter((thread) => !thread.isDone && thread.waitsFor === 0);
    if (able.length === 0) return null;
    this.chosen = able[this.draws.below(able.length)];
    this.instructionsLeft = this.draws.quantum();
    return this.chosen;
  }

  protected stop(): void {
    this.chosen = null;
  }

  protected pass(instructions: number): void {
    this.instructionsLeft -= instructions;
    if (this.instructionsLeft <= 0) this.chosen = null;
  }
}
