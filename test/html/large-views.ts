// Stage: test. Views of a made-up program with very many types and paths, from those of a small one: rows are copied
// under other names.

import type { AnyRow, Views } from './small-views.js';

export interface Size {
  readonly types: number;
  readonly pathsPerType: number;
}

const STEPS = 6;
const FUNCTIONS = 1000;

export function nameOfType(type: number): string {
  return `struct type_${String(type).padStart(4, '0')}`;
}

/** Counts fall from type to type, so that rows stay sorted. */
function scale(value: unknown, factor: number): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value * factor : value;
  if (Array.isArray(value)) return value.map((part) => scale(part, factor));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, scale(part, factor)]));
}

/** `small` has a type `struct pair` in each view that is by type. */
export function enlarge(small: Views, { types, pathsPerType }: Size): Views {
  const numbers = Array.from({ length: types }, (_, type) => type);
  const isPair = ({ type }: AnyRow): boolean => type === 'struct pair';
  const rows: Readonly<Record<string, (own: readonly AnyRow[]) => AnyRow[]>> = {
    'path-traces': (own) => {
      const path = own.find(isPair)!;
      const steps = (first: number): AnyRow[] =>
        Array.from({ length: STEPS }, (_, step) => ({
          ...path.steps[0],
          function: `function_${(first * 7 + step * 13) % FUNCTIONS}`,
          coreChange: step % 3 === 1,
        }));
      return numbers.flatMap((type) =>
        Array.from({ length: pathsPerType }, (_, at) => ({
          ...path,
          type: nameOfType(type),
          frequency: (pathsPerType - at) * 10,
          steps: steps(type + at),
        })),
      );
    },
    sharing: (own) =>
      own.flatMap((row) =>
        numbers.map((type) => ({
          ...row,
          misses: types - type,
          missed: { ...row.missed, type: nameOfType(type) },
          writer: { ...row.writer, type: nameOfType(type) },
        })),
      ),
  };
  const byType = (own: readonly AnyRow[]): AnyRow[] =>
    numbers.flatMap((type) => own.map((row) => ({ ...(scale(row, types - type) as AnyRow), type: nameOfType(type) })));
  return new Map(
    [...small].map(([key, view]) => {
      const pairs = view.rows.filter(isPair);
      return [key, { ...view, rows: rows[key]?.(view.rows) ?? (pairs.length > 0 ? byType(pairs) : view.rows) }];
    }),
  );
}
