// Stage: views -> graph. Data flow as DProf's Figure 2: boxes darker for higher latency, arrows bold where an object
// changes core, thick by objects.

import { formatCount, formatCycles } from '../base/format-number.js';
import type { DotGraph, DotNode } from './dot-text.js';

/** The columns that the graph needs of a row of the view data-flow. */
export interface FlowGraph {
  readonly type: string;
  readonly nodes: readonly {
    readonly id: number;
    readonly kind: string;
    readonly function: string | null;
    readonly file: string | null;
    readonly line: number | null;
    /**
     * `variable` is set on an allocation that begins a variable's life; `end` on a free or an end, and says how the
     * life ended.
     */
    readonly variable?: string | null;
    readonly end?: string | null;
    readonly objects: number;
    readonly references: number;
    readonly averageLatencyCycles: number | null;
  }[];
  readonly edges: readonly {
    readonly from: number;
    readonly to: number;
    readonly objects: number;
    readonly coreChanges: number;
    readonly averageLatencyCycles: number | null;
  }[];
}

export function flowGraph({ type, nodes, edges }: FlowGraph): DotGraph {
  const slowest = Math.max(1, ...nodes.map(({ averageLatencyCycles }) => averageLatencyCycles ?? 0));
  const most = Math.max(1, ...edges.map(({ objects }) => objects));
  return {
    title: type,
    nodes: nodes.map(
      ({
        id,
        kind,
        function: name,
        file,
        line,
        variable = null,
        end = null,
        objects,
        references,
        averageLatencyCycles,
      }): DotNode => {
        const place = file === null ? undefined : line === null ? file : `${file}:${line}`;
        return {
          id: String(id),
          label: [
            [kind, variable ?? name, end === null ? null : `(${end})`].filter((part) => part !== null).join(' '),
            count(objects, 'object'),
            ...(references > 0
              ? [`${count(references, 'reference')}, ${formatCycles(averageLatencyCycles)} cycles`]
              : []),
          ],
          ...(place !== undefined && { tooltip: place }),
          shade: (averageLatencyCycles ?? 0) / slowest,
          // A step is a box; allocation, free and end are round.
          shape: references > 0 ? 'box' : 'ellipse',
        };
      },
    ),
    edges: edges.map(({ from, to, objects, coreChanges }) => ({
      from: String(from),
      to: String(to),
      label: [formatCount(objects), ...(coreChanges > 0 ? [`${formatCount(coreChanges)} change core`] : [])],
      weight: objects / most,
      isBold: coreChanges > 0,
    })),
  };
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}
