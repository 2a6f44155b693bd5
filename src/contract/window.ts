// Stage: trace -> replay. Which part of a replay counts, as plain data: docs/replay/windows.md.

/**
 * A border lies behind the first step that fulfils it: `references` references have been made, or the step's stamp is
 * at least `stamp`, or it is the mark.
 */
export type Border =
  | { readonly kind: 'reference'; readonly references: number }
  | { readonly kind: 'stamp'; readonly stamp: bigint }
  | { readonly kind: 'mark'; readonly name: string; readonly occurrence: number };

export const BORDERS = ['warmUp', 'from', 'to'] as const;
export type BorderName = (typeof BORDERS)[number];

/**
 * References before `warmUp` are not made; what happens before `from` is not counted; with `to` the replay is over.
 * Each may be missing.
 */
export type ReplayWindow = Readonly<Partial<Record<BorderName, Border>>>;

/**
 * The place of a border: the number of references made before it, skipped ones included, and the replay time in
 * instructions.
 */
export interface Position {
  readonly references: number;
  readonly time: number;
}

/** null: not asked for, or not reached. */
export type WindowPositions = Readonly<Record<BorderName, Position | null>>;
