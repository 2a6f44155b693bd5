// Stage: trace -> replay. What a trace says of who receives memory: a name, or the caller of the function that hands it
// on. As dprof_position of unit_format.h has it.

export interface Receiver {
  /** The variable or field in the function itself; null if nothing has a name. */
  readonly name: string | null;
  /** If the function returns the memory: which element of what it returns, '' for all of it; else null. */
  readonly handedOn: string | null;
}

/** "u", "grid.cells"; "return", "return p", "return[] a[]". No variable is called `return`. */
export function readReceiver(text: string): Receiver {
  const [, handedOn, local] = /^return((?:\[\])*)(?: (.*))?$/s.exec(text) ?? [];
  return handedOn === undefined ? { name: text || null, handedOn: null } : { name: local ?? null, handedOn };
}
