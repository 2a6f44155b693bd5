// The language of drawn traces: columns are cores (threads), rows are time, `=>` says what the row's accesses meet, `#`
// is a comment.
//
//   core 0            core 1
//   W counter.a                          => memory compulsory
//                     W counter.b        => cache compulsory shared     # same line, other field
//   R counter.a                          => cache false-sharing
//
// Cells: `R place`, `W place`, `A place` (atomic); `copy place:size < place`, `fill place:size`; `lock m`, `unlock m`,
// `acquire KIND object`, `release KIND object`; `alloc p`, `free p`; `create n`, `start n` (`on m`: on the stack of
// core m), `end`, `join n`; `blocked`; `mark m`; `cpu n` (the thread says where it is); `enter f`, `leave f`; `work n`
// (instructions without references). An access, `alloc` and `free` may say the function that they are in:
// `W queue.head in push`. A place is `name`, `name.field`, either with `+offset` and `:size`, or `@hexaddress:size`. A
// cell's second action follows `;`.

export interface DrawnAction {
  readonly verb: string;
  readonly words: readonly string[];
}

export interface DrawnCell {
  readonly row: number;
  readonly core: number;
  readonly actions: readonly DrawnAction[];
}

export interface Drawing {
  readonly cores: number;
  readonly rows: number;
  readonly cells: readonly DrawnCell[];
  /** The expectation of each row, as drawn; undefined where nothing is said. */
  readonly expectations: readonly (string | undefined)[];
}

export function parseDrawing(text: string): Drawing {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*$/, '').trimEnd())
    .filter((line) => line.trim() !== '');
  const header = lines[0].replace(/=>.*/, '');
  const starts = [...header.matchAll(/core \d+/g)].map((match) => match.index);
  const cells: DrawnCell[] = [];
  const expectations = lines.slice(1).map((line, row) => {
    const [drawn, expectation] = line.split('=>');
    starts.forEach((start, core) => {
      const cell = drawn.slice(start, starts[core + 1]).trim();
      if (cell !== '') cells.push({ row, core, actions: cell.split(';').map(parseAction) });
    });
    return expectation?.trim();
  });
  return { cores: starts.length, rows: lines.length - 1, cells, expectations };
}

function parseAction(text: string): DrawnAction {
  const [verb, ...words] = text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '<');
  return { verb, words };
}
