// Stage: replay. The live objects of one thread: its frames with their stack variables, and its thread-locals.

import { RangeMap } from '../base/range-map.js';
import type { SimObject } from './sim-object.js';

interface Frame {
  readonly function: number;
  readonly objects: SimObject[];
}

export interface ThreadObjects {
  /** Outermost first. */
  frames: Frame[];
  /** Some stack object ended otherwise than by its frame's EXIT. */
  mayHaveGoneFrames: boolean;
  /** Its live stack objects. */
  readonly stack: RangeMap;
  /** The stack objects that other variables of their own record overlap: no range map shows them whole. */
  readonly hidden: Set<SimObject>;
  threadLocals: SimObject[];
  /** Stack variables that ever lived, by what and where they are. */
  readonly stackVariables: Map<string, SimObject>;
  freeSite: { address: number; slot: number } | null;
}

export function noThreadObjects(): ThreadObjects {
  return {
    frames: [],
    mayHaveGoneFrames: false,
    stack: new RangeMap(),
    hidden: new Set(),
    threadLocals: [],
    stackVariables: new Map(),
    freeSite: null,
  };
}

/** A frame all of whose objects have ended is gone. */
export function dropGoneFrames(own: ThreadObjects): void {
  if (!own.mayHaveGoneFrames) return;
  own.frames = own.frames.filter((frame) => frame.objects.some((object) => object.isLive));
  own.mayHaveGoneFrames = false;
}
