// Stage: profiles -> diff. A number of two runs: what it was, what it is, and the difference; where work is counted,
// the same per unit of work.

/** By how much work the counts of both runs are divided. */
export interface Work {
  /** mark: times that a mark of this name was set; instructions, references: thousands of them. */
  readonly by: 'mark' | 'instructions' | 'references';
  /** The name of the mark, if work is counted by one. */
  readonly name?: string;
  /** A rate is the count times this, divided by `before` or `after`. */
  readonly unit: number;
  readonly before: number;
  readonly after: number;
}

export interface BeforeAfter {
  readonly before: number;
  readonly after: number;
  /** after - before. */
  readonly change: number;
}

/** Something counted: it adds up over rows, and may be told per unit of work. */
export interface CountChange extends BeforeAfter {
  readonly perWork?: BeforeAfter;
}

/** null: nothing that it could be the average, or the size, of. */
export interface AverageChange {
  readonly before: number | null;
  readonly after: number | null;
  /** null if either is. */
  readonly change: number | null;
}

export function beforeAfter(before: number, after: number): BeforeAfter {
  return { before, after, change: after - before };
}

export function countChange(before: number, after: number, work: Work | null): CountChange {
  const own = beforeAfter(before, after);
  return work === null
    ? own
    : { ...own, perWork: beforeAfter((before * work.unit) / work.before, (after * work.unit) / work.after) };
}

export function averageChange(before: number | null, after: number | null): AverageChange {
  return { before, after, change: before === null || after === null ? null : after - before };
}

/** The change that rows are ranked by: per unit of work, if work is counted. */
export function changeOf({ change, perWork }: CountChange): number {
  return perWork?.change ?? change;
}
