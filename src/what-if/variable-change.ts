// Stage: command line -> what-if. The words of --align and --group that name variables.

import { closestNames } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { isCalled } from './find-type.js';

/** The words of --align that name variables, not types: by row of the catalog's variables, the alignment. */
export function variableAligns(
  catalog: Catalog,
  words: readonly string[],
): { readonly variables: ReadonlyMap<number, number>; readonly rest: readonly string[] } {
  const { variables, types } = catalog;
  const found = new Map<number, number>();
  const rest = words.filter((text) => {
    const [, name = '', bytes = ''] = /^\s*(.+?)\s*=\s*(\d+)$/.exec(text) ?? [];
    const isType = types.name.some((_, type) => isCalled(catalog, type, name));
    const rows = isType ? [] : variables.name.flatMap((one, row) => (row > 0 && one === name ? [row] : []));
    const align = Number(bytes);
    if (rows.length === 0 || align < 1 || align > 4096 || (align & (align - 1)) !== 0) return true;
    for (const row of rows) found.set(row, align);
    return false;
  });
  return { variables: found, rest };
}

/** Of --group: rows of the catalog's variables, in the order in which they are to lie side by side. */
export function variableGroups(catalog: Catalog, words: readonly string[]): number[][] {
  const { variables, globals } = catalog;
  const placed = new Set(globals.variable);
  const names = new Map<string, number[]>();
  for (let row = 1; row < variables.count; row++)
    if (placed.has(row)) names.set(variables.name[row], [...(names.get(variables.name[row]) ?? []), row]);
  const seen = new Set<number>();
  return words.map((text) =>
    text.split(',').flatMap((word) => {
      const name = word.trim();
      const rows = names.get(name);
      if (rows === undefined) {
        const close = closestNames(name, [...names.keys()]);
        throw new DprofError(
          `--group: the trace has no global variable '${name}'`,
          close.length > 0 ? `nearest: ${close.join(', ')}` : "for example --group 'hits,misses'",
          2,
        );
      }
      if (rows.some((row) => seen.has(row)))
        throw new DprofError(`--group: '${name}' stands twice`, 'each variable once', 2);
      for (const row of rows) seen.add(row);
      return rows;
    }),
  );
}
