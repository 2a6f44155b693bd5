// Stage: validation. Why what a register saw is not in the trace, what a trace has was not seen, or the order is
// another: the words, and which are explanations.

/** Seen by a register, in the trace only as part of something else, or not at all. */
export const ELEMENT_REASONS = [
  'unexplained',
  'c-library',
  'recorder',
  'not-instrumented',
  'split',
  'block-piece',
  'gap',
  'truncated',
] as const;
export type ElementReason = (typeof ELEMENT_REASONS)[number];

/** In the trace, and not seen. */
export const ACCESS_REASONS = [
  'unexplained',
  'one-instruction',
  'narrowed',
  'partly-watched',
  'kernel',
  'lost',
  'unwatched-thread',
] as const;
export type AccessReason = (typeof ACCESS_REASONS)[number];

/** Seen in another order than the trace's. */
export const ORDER_REASONS = ['unexplained', 'one-segment'] as const;
export type OrderReason = (typeof ORDER_REASONS)[number];

/** How they are said to people. */
export const REASON_TEXT: Readonly<Record<ElementReason | AccessReason | OrderReason, string>> = {
  unexplained: 'UNEXPLAINED',
  'c-library': 'in the C library',
  recorder: 'the recorder, measuring a scan',
  'not-instrumented': 'in code that was not instrumented',
  split: 'several instructions of one access',
  'block-piece': 'a piece of a block operation that the trace has',
  gap: 'where the trace says it has a gap',
  truncated: 'behind the end of the trace',
  'one-instruction': 'one instruction with the access beside it',
  narrowed: 'seen in another slot: only those bytes are used',
  'partly-watched': 'the bytes that were used may be those that no register watched',
  kernel: "the kernel's own",
  lost: 'registers lost samples',
  'unwatched-thread': 'a thread without registers',
  'one-segment': "the compiler's order within one segment",
};
