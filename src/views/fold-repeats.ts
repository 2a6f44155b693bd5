// Stage: profile -> views. A list with repeated items -> stretches with their numbers of repetitions: sixty lines of
// ping and pong are hard to read.

export interface Stretch<Item> {
  /** 1: nothing comes again. */
  readonly times: number;
  /** By place in what comes again: all that stood there. */
  readonly items: readonly (readonly Item[])[];
}

const LONGEST = 4;
/** Fewer are easier to read as they are. */
const FEWEST_TIMES = 3;

export function foldRepeats<Item>(items: readonly Item[], isSame: (a: Item, b: Item) => boolean): Stretch<Item>[] {
  const stretches: Stretch<Item>[] = [];
  for (let at = 0; at < items.length; ) {
    let [length, times] = [1, 1];
    for (let longer = 1; longer <= LONGEST; longer++) {
      let more = 1;
      while (isAgain(items, at, at + more * longer, longer, isSame)) more++;
      if (more >= FEWEST_TIMES && more * longer > length * times) [length, times] = [longer, more];
    }
    const first = at;
    stretches.push({
      times,
      items: Array.from({ length }, (_, place) =>
        Array.from({ length: times }, (_unused, time) => items[first + time * length + place]),
      ),
    });
    at += length * times;
  }
  return stretches;
}

function isAgain<Item>(
  items: readonly Item[],
  first: number,
  second: number,
  length: number,
  isSame: (a: Item, b: Item) => boolean,
): boolean {
  if (second + length > items.length) return false;
  for (let at = 0; at < length; at++) if (!isSame(items[first + at], items[second + at])) return false;
  return true;
}
