// Stage: what-if. The field that lies at a byte of a type.

import { NO_INDEX } from '../base/ids.js';
import type { LeafTable } from '../contract/catalog.js';

/** As the plugin spells it; undefined: the type has no table of its fields. */
export function fieldAt({ base, span, leafAt, path }: LeafTable, type: number, offset: number): string | undefined {
  return base[type] === NO_INDEX || offset >= span[type] ? undefined : path[type][leafAt[base[type] + offset]];
}
