// Stage: validation. What a trace has of objects that debug registers watched: plain columns, in replay order, one
// table for each object.

/** One access of the program's text, as the trace's units describe it. Row 0 is the kernel. */
export interface TracedSite {
  readonly function: string;
  /** The function whose code it is inlined into. */
  readonly within: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: 'load' | 'store' | 'update' | 'block' | 'kernel';
}

export const KERNEL_SITE = 0;

/** Stamps are above this and below that of everything that has one. */
export const NO_STAMP = 0n;
export const LAST_STAMP = 0xffff_ffff_ffff_ffffn;

export interface TracedObject {
  /** Stamp of its ALLOCATE. */
  readonly allocated: bigint;
  /** Which allocated it: the trace's number. */
  readonly thread: number;
  /** From the first byte that was watched; below 0: an access that began before it. */
  readonly offset: readonly number[];
  readonly bytes: readonly number[];
  /** Row of `sites`. */
  readonly site: readonly number[];
  readonly by: readonly number[];
  /** Which executed segment it is of: accesses of one step ran without a call or a stamp between them. */
  readonly step: readonly number[];
  /** How often the trace had said, so far, that it has a gap in this thread: lost paths, a window that closed. */
  readonly gaps: readonly number[];
  /** The thread's stamps before and behind it. */
  readonly after: readonly bigint[];
  readonly before: readonly bigint[];
}

export interface TracedObjects {
  readonly sites: readonly TracedSite[];
  /** By history; null: the trace has no such object. */
  readonly objects: readonly (TracedObject | null)[];
  /** Functions whose code was instrumented. */
  readonly functions: ReadonlySet<string>;
  readonly modules: ReadonlySet<string>;
  readonly truncated: boolean;
  /** The process's number, which is its first thread's number in the kernel. */
  readonly pid: number;
}
