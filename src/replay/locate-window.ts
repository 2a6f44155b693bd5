// Stage: trace -> replay. The window that was asked for -> its borders. A warm-up is counted in references back from
// the begin of the window. Only a replay can find that place, so a replay that makes no references finds it first,
// unless the window itself begins at a number of references.

import type { ReplayInput } from '../contract/input.js';
import type { ReplayResult } from '../contract/result.js';
import type { Border, ReplayWindow } from '../contract/window.js';

export interface WindowRequest {
  readonly from?: Border;
  readonly to?: Border;
  /**
   * Only with `from`: references before it that are replayed without being counted; undefined: all that come before.
   */
  readonly warmUpReferences?: number;
  /** The same by time, of a window that begins at a time: a stamp. */
  readonly warmUpStamp?: bigint;
}

/** Of a warm-up: no reference is made. */
export const NEVER: Border = { kind: 'reference', references: Number.MAX_SAFE_INTEGER };

/** `run`: replays. */
export async function locateWindow(
  input: ReplayInput,
  request: WindowRequest,
  run: (input: ReplayInput) => Promise<ReplayResult>,
): Promise<ReplayWindow> {
  const { from, to, warmUpReferences, warmUpStamp } = request;
  const window: ReplayWindow = { ...(from && { from }), ...(to && { to }) };
  if (warmUpStamp !== undefined) return { ...window, warmUp: { kind: 'stamp', stamp: warmUpStamp } };
  if (warmUpReferences === undefined || from === undefined) return window;
  const begin =
    from.kind === 'reference'
      ? from.references
      : (await run({ ...input, window: { warmUp: NEVER, to: from } })).window?.to?.references;
  // Not there at all: the replay of the window says so.
  return begin === undefined
    ? window
    : { ...window, warmUp: { kind: 'reference', references: Math.max(0, begin - warmUpReferences) } };
}
