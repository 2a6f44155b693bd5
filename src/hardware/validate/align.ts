// Stage: validation. Two sequences of one thread's accesses to one slot, what a register saw and what the trace has, to
// the cheapest way to lay them beside each other: dynamic programming, in spans where they are long.

export const NONE = -1;

/** A pair that may not be. */
export const NEVER = Infinity;

export interface Costs {
  /** That element `e` is access `a`. */
  readonly match: (e: number, a: number) => number;
  /** That element `e` has no access of its own; `a` is the one before it, or NONE. */
  readonly skipElement: (e: number, a: number) => number;
  /**
   * That access `a` was not seen; `e` is the element behind it, the number of elements where there is none. `isMet`:
   * another one of its step was.
   */
  readonly skipAccess: (a: number, e: number, isMet: boolean) => number;
  /** Accesses of one step stand together; this is its last. */
  readonly endsStep: (a: number) => boolean;
}

const Move = { end: 0, match: 1, element: 2, access: 3 } as const;

/** Elements and accesses of a span; what is decided of it is its first half. */
const SPAN_ELEMENTS = 512;
const SPAN_ACCESSES = 2048;

/** By element: the access that it is, or NONE. */
export function align(elements: number, accesses: number, costs: Costs): Int32Array {
  const accessOf = new Int32Array(elements).fill(NONE);
  let e = 0;
  let a = 0;
  while (e < elements) {
    const endE = Math.min(elements, e + SPAN_ELEMENTS);
    const endA = Math.min(accesses, a + SPAN_ACCESSES);
    const isLast = endE === elements && endA === accesses;
    const moves = alignSpan(e, endE, a, endA, isLast, costs);
    const keepE = isLast ? endE : e + Math.ceil((endE - e) / 2);
    const keepA = a + Math.ceil((endA - a) / 2);
    for (const move of moves) {
      if (!isLast && (e >= keepE || (endA < accesses && a >= keepA))) break;
      if (move === Move.match) accessOf[e++] = a++;
      else if (move === Move.element) e++;
      else a++;
    }
  }
  return accessOf;
}

/**
 * From (fromE, fromA) on; where more is to come, accesses behind the last element cost nothing, and elements behind the
 * last access neither. Each cell is there twice: whether an access of the step that goes on there was seen already.
 */
function alignSpan(
  fromE: number,
  endE: number,
  fromA: number,
  endA: number,
  isLast: boolean,
  { match, skipElement, skipAccess, endsStep }: Costs,
): number[] {
  const height = endE - fromE;
  const width = endA - fromA;
  const moves = new Uint8Array((height + 1) * (width + 1) * 2);
  let below = new Float64Array((width + 1) * 2);
  let row = new Float64Array((width + 1) * 2);
  for (let i = height; i >= 0; i--) {
    for (let j = width; j >= 0; j--) {
      const e = fromE + i;
      const a = fromA + j;
      const isEnd = j < width && endsStep(a);
      const matched = i < height && j < width ? match(e, a) + below[2 * (j + 1) + (isEnd ? 0 : 1)] : NEVER;
      const skipped = i === height ? NEVER : j === width && !isLast ? 0 : skipElement(e, a - 1);
      for (let met = 0; met < 2; met++) {
        let best = i === height && j === width ? 0 : NEVER;
        let move: number = Move.end;
        if (matched < best) [best, move] = [matched, Move.match];
        if (j < width) {
          const cost =
            (i === height && !isLast ? 0 : skipAccess(a, e, met === 1)) + row[2 * (j + 1) + (isEnd ? 0 : met)];
          if (cost < best) [best, move] = [cost, Move.access];
        }
        if (skipped + below[2 * j + met] < best) [best, move] = [skipped + below[2 * j + met], Move.element];
        row[2 * j + met] = best;
        moves[2 * (i * (width + 1) + j) + met] = move;
      }
    }
    [below, row] = [row, below];
  }
  const path: number[] = [];
  for (let i = 0, j = 0, met = 0; i < height || j < width; ) {
    const move = moves[2 * (i * (width + 1) + j) + met];
    path.push(move);
    if (move === Move.match) met = 1;
    if (move !== Move.element && endsStep(fromA + j)) met = 0;
    if (move !== Move.access) i++;
    if (move !== Move.element) j++;
  }
  return path;
}
