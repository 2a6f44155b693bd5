// Stage: validation. Samples that have their types, one by one -> rows of typed samples, in their order.

import type { SampleColumns } from '../samples/samples.js';
import type { TypedRowColumns } from '../samples/typed-samples.js';

export interface TypesOfSamples {
  readonly type: Uint32Array;
  readonly offset: Float64Array;
  readonly place: Uint32Array;
}

interface Row {
  readonly type: number;
  readonly offset: number;
  readonly place: number;
  readonly event: number;
  readonly dataSource: bigint;
  readonly cpu: number;
  samples: number;
  period: bigint;
  periodSquares: number;
  weight: bigint;
  weightSquares: number;
}

/** `own`: rows of the columns, which the types are of. */
export function gatherRows(
  columns: SampleColumns,
  own: Uint32Array,
  { type, offset, place }: TypesOfSamples,
): TypedRowColumns {
  const groups = new Map<string, Row>();
  own.forEach((row, at) => {
    const [event, dataSource, cpu] = [columns.event[row], columns.dataSource[row], columns.cpu[row]];
    const key = `${type[at]} ${offset[at]} ${place[at]} ${event} ${dataSource} ${cpu}`;
    let group = groups.get(key);
    if (group === undefined)
      groups.set(
        key,
        (group = {
          type: type[at],
          offset: offset[at],
          place: place[at],
          event,
          dataSource,
          cpu,
          samples: 0,
          period: 0n,
          periodSquares: 0,
          weight: 0n,
          weightSquares: 0,
        }),
      );
    group.samples++;
    group.period += columns.period[row];
    group.periodSquares += Number(columns.period[row]) ** 2;
    group.weight += columns.weight[row];
    group.weightSquares += Number(columns.weight[row]) ** 2;
  });
  const rows = [...groups.values()].sort(
    (a, b) =>
      a.type - b.type ||
      a.offset - b.offset ||
      a.place - b.place ||
      a.event - b.event ||
      Number(a.dataSource > b.dataSource) - Number(a.dataSource < b.dataSource) ||
      a.cpu - b.cpu,
  );
  const numbers = (pick: (row: Row) => number): Uint32Array => Uint32Array.from(rows, pick);
  return {
    type: numbers((row) => row.type),
    offset: BigUint64Array.from(rows, (row) => BigInt(row.offset)),
    place: numbers((row) => row.place),
    event: Uint16Array.from(rows, (row) => row.event),
    dataSource: BigUint64Array.from(rows, (row) => row.dataSource),
    cpu: numbers((row) => row.cpu),
    samples: numbers((row) => row.samples),
    period: BigUint64Array.from(rows, (row) => row.period),
    periodSquares: Float64Array.from(rows, (row) => row.periodSquares),
    weight: BigUint64Array.from(rows, (row) => row.weight),
    weightSquares: Float64Array.from(rows, (row) => row.weightSquares),
  };
}
