// Stage: HTML page. What the pages of locks and shared variables read in the JSON of their views, which a report may have or not.

import type { View } from '../src/views/view.js';

export interface SharedVariableRow {
  readonly file: string | null;
  readonly line: number | null;
  readonly variable: string;
  readonly type: string;
  readonly threadcount: number;
  readonly totalcount: number;
  readonly threads: Readonly<Record<string, number>>;
}

export interface HeldReferences {
  readonly references: number;
  readonly l1Misses: number;
  readonly trueSharing: number;
  readonly falseSharing: number;
}

export interface LockFunction {
  readonly function: string | null;
  readonly path: readonly string[];
  readonly acquisitions: number;
}

export interface LockData extends HeldReferences {
  readonly type: string;
}

export interface LockRow extends HeldReferences {
  readonly lock: string;
  readonly kind: string;
  readonly type: string;
  readonly acquisitions: number;
  readonly threads: Readonly<Record<string, number>>;
  readonly functions: readonly LockFunction[];
  readonly data: readonly LockData[];
}

export type SharedVariables = View<SharedVariableRow>;
export type Locks = View<LockRow>;

/** "0: 1,200, 1: 1,199": busiest first. */
export function threadsBusiestFirst(threads: Readonly<Record<string, number>>): readonly (readonly [thread: string, count: number])[] {
  return Object.entries(threads).sort(([a, first], [b, second]) => second - first || Number(a) - Number(b));
}
