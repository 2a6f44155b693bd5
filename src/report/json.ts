// Stage: views -> JSON. The view's own data, one row per line, in pieces: an address set may be longer than the longest string.

import type { View } from '../views/view.js';

export function* renderJson(view: View<unknown>): Generator<string> {
  const { rows, ...envelope } = view;
  yield `${JSON.stringify(envelope, null, 1).replace(/\n\}$/, '')},\n "rows": [`;
  for (let row = 0; row < rows.length; row++) yield `${row === 0 ? '' : ','}\n  ${JSON.stringify(rows[row])}`;
  yield rows.length === 0 ? ']\n}\n' : '\n ]\n}\n';
}
