// Stage: views -> graph. Sharing pairs as a graph of types: an arrow from the type that was stored to, to the one that
// missed because of it.

import type { Sharing } from '../views/sharing-rows.js';
import { formatCount } from '../base/format-number.js';
import type { DotEdge, DotGraph } from './dot-text.js';

const COLOURS: Readonly<Record<string, string>> = {
  'true-sharing': '#1f4e9c',
  'false-sharing': '#c0392b',
  'cold-sharing': '#6b7280',
};

export function sharingGraph({ rows }: Sharing): DotGraph {
  const edges = new Map<string, { from: string; to: string; class: string; misses: number }>();
  const missesOf = new Map<string, number>();
  for (const { class: name, misses, missed, writer } of rows) {
    const key = JSON.stringify([writer.type, missed.type, name]);
    const edge = edges.get(key) ?? { from: writer.type, to: missed.type, class: name, misses: 0 };
    edges.set(key, edge);
    edge.misses += misses;
    missesOf.set(missed.type, (missesOf.get(missed.type) ?? 0) + misses);
    if (!missesOf.has(writer.type)) missesOf.set(writer.type, 0);
  }
  const most = Math.max(1, ...[...edges.values()].map(({ misses }) => misses));
  const mostOfType = Math.max(1, ...missesOf.values());
  return {
    title: 'L1 misses by sharing: who stored, who missed',
    nodes: [...missesOf].map(([type, misses]) => ({
      id: type,
      label: [type, `${formatCount(misses)} ${misses === 1 ? 'miss' : 'misses'}`],
      shade: misses / mostOfType,
    })),
    edges: [...edges.values()].map(
      (edge): DotEdge => ({
        from: edge.from,
        to: edge.to,
        label: [`${formatCount(edge.misses)} ${edge.class}`],
        weight: edge.misses / most,
        colour: COLOURS[edge.class] ?? '#000000',
      }),
    ),
  };
}
