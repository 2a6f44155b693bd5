// Stage: replay. Which functions a thread is in, from the records it leaves, and the short path to an allocation.
// docs/replay/objects.md, "Call paths".

import { NO_INDEX } from '../base/ids.js';
import { CALL_PATH_FRAMES, type CallPathTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import { RecordFlag } from '../trace/layout.js';

const DEEPEST = 1 << 16;

export class CallStacks {
  private readonly stacks: number[][] = [];
  private readonly numbers = new Map<string, number>();
  private readonly frames: number[] = new Array<number>(CALL_PATH_FRAMES).fill(NO_INDEX);

  constructor(private readonly catalog: Catalog) {}

  pass(thread: number, record: number): void {
    const { records } = this.catalog;
    const functionId = records.function[record];
    if (functionId === 0) return;
    const stack = (this.stacks[thread] ??= []);
    if ((records.flags[record] & RecordFlag.entry) !== 0) push(stack, functionId);
    else if (stack.at(-1) !== functionId) {
      const at = stack.lastIndexOf(functionId);
      if (at >= 0) stack.length = at + 1;
      else push(stack, functionId);
    }
    if ((records.flags[record] & RecordFlag.exit) !== 0 && stack.at(-1) === functionId) stack.pop();
  }

  forget(thread: number): void {
    this.stacks[thread] = [];
  }

  /** Number of the path that ends where the thread is. */
  path(thread: number): number {
    return this.numberOf(this.innermost(thread));
  }

  /** The functions of that path. */
  innermost(thread: number): readonly number[] {
    const stack = this.stacks[thread] ?? [];
    return Array.from({ length: CALL_PATH_FRAMES }, (_, depth) => stack[stack.length - 1 - depth] ?? NO_INDEX);
  }

  numberOf(path: readonly number[]): number {
    if (path[0] === NO_INDEX) return 0;
    const key = path.join(' ');
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.frames.length / CALL_PATH_FRAMES;
      this.numbers.set(key, number);
      this.frames.push(...path);
    }
    return number;
  }

  freeze(): CallPathTable {
    return { count: this.frames.length / CALL_PATH_FRAMES, function: Uint32Array.from(this.frames) };
  }
}

function push(stack: number[], functionId: number): void {
  if (stack.length < DEEPEST) stack.push(functionId);
}
