// Stage: views -> JSON. The view's own data, one row per line, in pieces: an address set may be longer than the longest
// string.

import type { View } from '../views/view.js';

/** The printed values: views, and comparisons. */
export type Rows = Pick<View<unknown>, 'schema' | 'rows'>;

export function* renderJson(view: Rows): Generator<string> {
  const { rows, ...envelope } = view;
  yield `${JSON.stringify(envelope, null, 1).replace(/\n\}$/, '')},\n "rows": [`;
  for (let row = 0; row < rows.length; row++) yield `${row === 0 ? '' : ','}\n  ${JSON.stringify(rows[row])}`;
  yield rows.length === 0 ? ']\n}\n' : '\n ]\n}\n';
}

/** The same view of several machines: each whole, as it is of one alone. */
export function* renderMachinesJson(view: string, views: readonly View<unknown>[]): Generator<string> {
  yield `{\n "schema": "dprof.machines/1",\n "view": ${JSON.stringify(view)},\n "machines": [\n`;
  for (const [index, one] of views.entries()) {
    if (index > 0) yield ',\n';
    yield* renderJson(one);
  }
  yield ' ]\n}\n';
}
