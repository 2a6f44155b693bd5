// Stage: profile -> exports. A sample as viewers of code profiles expect it: what is counted, and its stack.

import type { CounterSums } from '../views/counter-sums.js';

export interface ExportSample {
  readonly type: string;
  readonly field: string | null;
  readonly function: string | null;
  readonly file: string | null;
  /** 0: not known. */
  readonly line: number;
  /** What that function was inlined into in turn, outermost first. */
  readonly callers: readonly ExportPlace[];
  /** What was inlined into it there, outermost first: the last is the access itself. */
  readonly inlined: readonly ExportPlace[];
  readonly sums: ExportSums;
}

export type ExportSums = Pick<CounterSums, 'get' | 'misses' | 'references'>;

export interface ExportPlace {
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number;
}

/** The whole stack, outermost first. */
export function placesOf({ callers, inlined, function: name, file, line }: ExportSample): ExportPlace[] {
  return [...callers, { function: name, file, line }, ...inlined];
}
