// Stage: profile. Rows of the flow while it is put together, those of equal names as one; then columns in an order of
// their content. Paths differ in their steps too, and have them with them.

import { freezeRows, type Cell, type RowOf } from '../base/table-description.js';
import { TupleIndex } from '../base/tuple-index.js';
import { columnsOf, ColumnRows } from './column-rows.js';
import type { Flow, FlowFacts } from './flow.js';
import { Rows } from './rows.js';
import { criteriaOf, listCellsOnce, renumberColumns, renumbering, type Renumber } from './table-rows.js';
import { FLOW_TABLES } from './tables.js';

const { paths: PATHS, steps: STEPS } = FLOW_TABLES;
const PATH_CELLS = listCellsOnce(PATHS.columns);
const STEP_CELLS = listCellsOnce(STEPS.columns);
const isKey = ({ column }: Cell): boolean => column.role === 'key';
const PATH_KEYS = PATH_CELLS.filter(isKey);

export type StepRow = RowOf<typeof STEPS.columns>;
export type PathRow = Omit<RowOf<typeof PATHS.columns>, 'steps'> & { readonly steps: readonly StepRow[] };

/** Names are numbers of builders. */
export class FlowRows {
  /** A step's keys, and 1 + the number of those before it; 0: it is the first. */
  readonly #sequences = new TupleIndex(STEP_CELLS.filter(isKey).length + 1);
  /** A path's keys, and its steps: the last of them. */
  readonly #keys = new TupleIndex(PATH_KEYS.length + 1);
  readonly #paths: ColumnRows<typeof PATHS.columns>;
  readonly #steps: ColumnRows<typeof STEPS.columns>;
  /** Of each path. */
  readonly #firstSteps: number[] = [];
  readonly otherPaths: Rows<typeof FLOW_TABLES.otherPaths.columns>;
  readonly residency: Rows<typeof FLOW_TABLES.residency.columns>;
  readonly missBins: Rows<typeof FLOW_TABLES.missBins.columns>;
  readonly objectBins: Rows<typeof FLOW_TABLES.objectBins.columns>;
  setLines = new Float64Array(0);

  /** `across`: where the rows come from, one run or several. */
  constructor(across: 'run' | 'runs') {
    this.#paths = new ColumnRows(PATHS.columns, across);
    this.#steps = new ColumnRows(STEPS.columns, across);
    this.otherPaths = new Rows(FLOW_TABLES.otherPaths, across);
    this.residency = new Rows(FLOW_TABLES.residency, across);
    this.missBins = new Rows(FLOW_TABLES.missBins, across);
    this.objectBins = new Rows(FLOW_TABLES.objectBins, across);
  }

  /** Rows of both tables, whose columns have the same names; `firstStep` of a path, in the steps. */
  addPaths(paths: object, steps: object, firstStep: ArrayLike<number>): void {
    const [pathColumns, stepColumns] = [columnsOf(PATHS.columns, paths), columnsOf(STEPS.columns, steps)];
    const keys = PATH_CELLS.flatMap((cell, at) => (isKey(cell) ? [pathColumns[at]] : []));
    const stepKeys = STEP_CELLS.flatMap((cell, at) => (isKey(cell) ? [stepColumns[at]] : []));
    const counts = pathColumns[PATH_CELLS.findIndex(({ name }) => name === 'steps')];
    const [key, step] = [new Float64Array(keys.length + 1), new Float64Array(stepKeys.length + 1)];
    this.#steps.reserve(this.#steps.count + stepKeys[0].length);
    for (let row = 0; row < firstStep.length; row++) {
      const [first, end] = [firstStep[row], firstStep[row] + counts[row]];
      let sequence = 0;
      for (let at = first; at < end; at++) {
        for (let cell = 0; cell < stepKeys.length; cell++) step[cell] = stepKeys[cell][at];
        step[stepKeys.length] = sequence;
        sequence = 1 + this.#sequences.enter(step);
      }
      for (let cell = 0; cell < keys.length; cell++) key[cell] = keys[cell][row];
      key[keys.length] = sequence;
      const number = this.#keys.enter(key);
      if (number === this.#paths.count) {
        this.#paths.append(pathColumns, row, 1);
        this.#firstSteps.push(this.#steps.count);
        this.#steps.append(stepColumns, first, end - first);
      } else {
        this.#paths.add(number, pathColumns, row);
        for (let at = first; at < end; at++) this.#steps.add(this.#firstSteps[number] + at - first, stepColumns, at);
      }
    }
  }

  addRows(rows: readonly PathRow[]): void {
    const paths = rows.map((row) => ({ ...row, steps: row.steps.length }));
    const steps = rows.flatMap((row) => row.steps);
    const table = freezeRows(PATHS.columns, paths);
    this.addPaths(table, freezeRows(STEPS.columns, steps), firstStepsOf(table.steps));
  }

  /** All of a profile's; the numbers of its names become those of `numbers`. */
  addFlow({ paths, steps, otherPaths, residency, objectBins, missBins, sets }: Flow, numbers: Renumber): void {
    this.addPaths(
      renumberColumns(PATH_CELLS, paths, numbers),
      renumberColumns(STEP_CELLS, steps, numbers),
      firstStepsOf(paths.steps),
    );
    this.otherPaths.addTable(otherPaths, numbers);
    this.residency.addTable(residency, numbers);
    this.objectBins.addTable(objectBins, numbers);
    this.missBins.addTable(missBins, numbers);
    this.setLines = sets.lines.map((lines, set) => Math.max(lines, this.setLines[set] ?? 0));
  }

  /** Numbers of paths, in the order of their arrival, as the flow has them. */
  order(renumber: Renumber): Uint32Array {
    return this.#sort(keyColumns(PATH_CELLS, this.#paths, renumber), [
      ...keyColumns(STEP_CELLS, this.#steps, renumber).values(),
    ]);
  }

  freeze(facts: FlowFacts, renumber: Renumber): Flow {
    const pathKeys = keyColumns(PATH_CELLS, this.#paths, renumber);
    const stepKeys = keyColumns(STEP_CELLS, this.#steps, renumber);
    const rows = this.#sort(pathKeys, [...stepKeys.values()]);
    const counts = this.#paths.column('steps');
    const steps = new Uint32Array(this.#steps.count);
    let next = 0;
    for (const row of rows) for (let at = 0; at < counts[row]; at++) steps[next++] = this.#firstSteps[row] + at;
    return {
      by: facts.by,
      mostPaths: facts.mostPaths,
      mostSteps: facts.mostSteps,
      paths: this.#paths.freeze(rows, pathKeys),
      steps: this.#steps.freeze(steps, stepKeys),
      otherPaths: this.otherPaths.freeze(renumber),
      residency: this.residency.freeze(renumber),
      objectBins: this.objectBins.freeze(renumber),
      missBins: this.missBins.freeze(renumber),
      sets: { lines: this.setLines },
    };
  }

  /** By the order of the table, then by their steps. */
  #sort(pathKeys: ReadonlyMap<Cell, Float64Array>, stepKeys: readonly Float64Array[]): Uint32Array {
    const criteria = criteriaOf(PATHS).map(({ cell, sign }) => ({ column: pathKeys.get(cell)!, sign }));
    const counts = this.#paths.column('steps');
    const first = this.#firstSteps;
    return Uint32Array.from(first, (_, row) => row).sort((a, b) => {
      for (const { column, sign } of criteria) if (column[a] !== column[b]) return sign * (column[a] - column[b]);
      const both = Math.min(counts[a], counts[b]);
      for (let at = 0; at < both; at++)
        for (const column of stepKeys) {
          const difference = column[first[a] + at] - column[first[b] + at];
          if (difference !== 0) return difference;
        }
      return counts[a] - counts[b];
    });
  }
}

/** Of paths whose steps stand one behind the other. */
export function firstStepsOf(counts: ArrayLike<number>): Float64Array {
  const first = new Float64Array(counts.length);
  for (let row = 1; row < counts.length; row++) first[row] = first[row - 1] + counts[row - 1];
  return first;
}

/** Each with the new numbers. */
function keyColumns(
  cells: readonly Cell[],
  rows: { column(name: string): Float64Array },
  renumber: Renumber,
): ReadonlyMap<Cell, Float64Array> {
  return new Map(
    cells.filter(isKey).map((cell) => {
      const [column, map] = [rows.column(cell.name), renumbering(cell, renumber)];
      return [cell, map === undefined ? column : column.map(map)];
    }),
  );
}
