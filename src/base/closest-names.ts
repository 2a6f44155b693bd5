// Stage: all. The names most like a mistyped one, for hints.

/**
 * At most `limit` names by edit distance, a name that contains the asked one first: with its template arguments, or
 * without. A name that was copied out of a table may be cut: `…` stands for whatever was there.
 */
export function closestNames(asked: string, names: readonly string[], limit = 3): string[] {
  const wanted = asked.toLowerCase();
  const pieces = wanted.split('…');
  const distance = (name: string): number => {
    const lower = name.toLowerCase();
    const contains = wanted !== '' && (hasParts(lower, pieces) || hasParts(withoutArguments(lower), pieces));
    return contains ? -1 / lower.length : editDistance(wanted, lower);
  };
  return names
    .map((name) => ({ name, distance: distance(name) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** "did you mean 'one', 'other'?" */
export function didYouMean(names: readonly string[]): string {
  return `did you mean ${names.map((name) => `'${name}'`).join(', ')}?`;
}

/** One behind the other. */
function hasParts(name: string, pieces: readonly string[]): boolean {
  let at = 0;
  return pieces.every((piece) => {
    const found = name.indexOf(piece, at);
    at = found + piece.length;
    return found >= 0;
  });
}

/** 'a::b<c<d>>::e' -> 'a::b::e' */
function withoutArguments(name: string): string {
  let plain = name;
  for (let before = ''; before !== plain; ) [before, plain] = [plain, plain.replace(/<[^<>]*>/g, '')];
  return plain;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = previous[column - 1] + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column] + 1, current[column - 1] + 1));
    }
    previous = current;
  }
  return previous[b.length];
}
