// Stage: replay. Which functions a thread is in, from the records it leaves, and the path to an allocation.
// docs/replay/objects.md, "Call paths".

import { NO_INDEX } from '../base/ids.js';
import { CALL_PATH_FRAMES, type CallPathTable } from '../contract/result.js';
import type { Catalog } from '../contract/catalog.js';
import { RecordFlag } from '../trace/layout.js';

const DEEPEST = 1 << 16;

/** A function that a thread is in, and the call that it has made there, by the last record; 0: none is known. */
export interface Frame {
  readonly functionId: number;
  call: number;
}

/** The allocation's slot, then functions and calls in turn. */
export type CallPath = readonly number[];

export class CallStacks {
  private readonly stacks: Frame[][] = [];
  private readonly numbers = new Map<string, number>();
  private readonly paths: CallPath[] = [pathOf([], NO_INDEX)];

  constructor(private readonly catalog: Catalog) {}

  pass(thread: number, record: number): void {
    const { records } = this.catalog;
    this.move(thread, records.function[record], records.flags[record], records.call[record]);
  }

  /** As a record of these would. */
  move(thread: number, functionId: number, flags: number, call: number): void {
    if (functionId === 0) return;
    const stack = (this.stacks[thread] ??= []);
    const isInside = (): boolean => stack.at(-1)?.functionId === functionId;
    if ((flags & RecordFlag.entry) !== 0) push(stack, functionId);
    else if (!isInside()) {
      const at = stack.findLastIndex((frame) => frame.functionId === functionId);
      if (at >= 0) stack.length = at + 1;
      else push(stack, functionId);
    }
    if (isInside()) stack.at(-1)!.call = call;
    if ((flags & RecordFlag.exit) !== 0 && isInside()) {
      stack.pop();
      if (stack.length > 0) stack.at(-1)!.call = 0; // that call has returned
    }
  }

  forget(thread: number): void {
    this.stacks[thread] = [];
  }

  /** Outermost first. */
  frames(thread: number): readonly Frame[] {
    return this.stacks[thread] ?? [];
  }

  /** Number of the path to the allocation where the thread is. */
  path(thread: number, slot: number): number {
    return this.numberOf(this.innermost(thread, slot));
  }

  /** Functions that called the one whose references come, the nearest first. `record`: its; null: an event's. */
  callers(thread: number, record: number | null): number[] {
    const { records } = this.catalog;
    const hasOwnFrame =
      record !== null && records.function[record] !== 0 && (records.flags[record] & RecordFlag.exit) === 0;
    const frames = this.frames(thread).map(({ functionId }) => functionId);
    return (hasOwnFrame ? frames.slice(0, -1) : frames).reverse();
  }

  innermost(thread: number, slot = NO_INDEX): CallPath {
    return pathOf(this.stacks[thread] ?? [], slot);
  }

  numberOf(path: CallPath): number {
    if (path[0] === NO_INDEX && path[1] === NO_INDEX) return 0;
    const key = path.join(' ');
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.paths.push(path) - 1;
      this.numbers.set(key, number);
    }
    return number;
  }

  freeze(): CallPathTable {
    const { paths } = this;
    return {
      count: paths.length,
      slot: Uint32Array.from(paths, (path) => path[0]),
      function: Uint32Array.from(paths.flatMap((path) => path.filter((_, at) => at % 2 === 1))),
      call: Uint32Array.from(paths.flatMap((path) => path.filter((_, at) => at % 2 === 0 && at > 0))),
    };
  }
}

function pathOf(stack: readonly Frame[], slot: number): CallPath {
  const path = [slot];
  for (let depth = 0; depth < CALL_PATH_FRAMES; depth++) {
    const frame = stack[stack.length - 1 - depth];
    path.push(frame?.functionId ?? NO_INDEX, depth === 0 ? 0 : (frame?.call ?? 0));
  }
  return path;
}

function push(stack: Frame[], functionId: number): void {
  if (stack.length < DEEPEST) stack.push({ functionId, call: 0 });
}
