// Stage: profile. Rows of the flow while it is put together, those of equal names as one; then columns in an order of
// their content. Paths differ in their steps too, and have them with them.

import { freezeRows, pick, type RowOf } from '../base/table-description.js';
import type { Flow, FlowFacts } from './flow.js';
import { Rows } from './rows.js';
import { TupleIndex } from '../base/tuple-index.js';
import {
  combineRows,
  compareBy,
  countRows,
  listCellsOnce,
  readRow,
  rowRenumbering,
  type Renumber,
} from './table-rows.js';
import { FLOW_TABLES } from './tables.js';

const { paths: PATHS, steps: STEPS } = FLOW_TABLES;
const PATH_KEYS = listCellsOnce(PATHS.columns).filter(({ column }) => column.role === 'key');
const comparePaths = compareBy(PATHS);
const compareSteps = compareBy(STEPS);

export type StepRow = RowOf<typeof STEPS.columns>;
export type PathRow = Omit<RowOf<typeof PATHS.columns>, 'steps'> & { readonly steps: readonly StepRow[] };

/** Names are numbers of builders. */
export class FlowRows {
  /** A step, and 1 + the number of those before it; 0: it is the first. */
  readonly #sequences = new TupleIndex(3);
  /** A path's keys, and its steps: the last of them. */
  readonly #keys = new TupleIndex(PATH_KEYS.length + 1);
  readonly #paths: PathRow[] = [];
  readonly otherPaths: Rows<typeof FLOW_TABLES.otherPaths.columns>;
  readonly residency: Rows<typeof FLOW_TABLES.residency.columns>;
  readonly missBins: Rows<typeof FLOW_TABLES.missBins.columns>;
  readonly objectBins: Rows<typeof FLOW_TABLES.objectBins.columns>;
  setLines = new Float64Array(0);

  /** `across`: where the rows come from, one run or several. */
  constructor(private readonly across: 'run' | 'runs') {
    this.otherPaths = new Rows(FLOW_TABLES.otherPaths, across);
    this.residency = new Rows(FLOW_TABLES.residency, across);
    this.missBins = new Rows(FLOW_TABLES.missBins, across);
    this.objectBins = new Rows(FLOW_TABLES.objectBins, across);
  }

  /** The row's own numbers may change later. */
  addPath(row: PathRow): void {
    const sequence = row.steps.reduce(
      (before, { site, changesCore }) => 1 + this.#sequences.enter([before, site, changesCore]),
      0,
    );
    const number = this.#keys.enter([...PATH_KEYS.map(({ path }) => pick(row, path) as number), sequence]);
    if (number === this.#paths.length) {
      this.#paths.push(row);
      return;
    }
    const known = this.#paths[number];
    combineRows(PATHS.columns, known, row, this.across);
    known.steps.forEach((step, index) => combineRows(STEPS.columns, step, row.steps[index], this.across));
  }

  /** All of a profile's; the numbers of its names become those of `numbers`. */
  addFlow({ paths, steps, otherPaths, residency, objectBins, missBins, sets }: Flow, numbers: Renumber): void {
    const renumbered = pathRenumbering(numbers);
    let next = 0;
    for (let row = 0; row < countRows(PATHS.columns, paths); row++) {
      const path = readRow(PATHS.columns, paths, row);
      const own = Array.from({ length: path.steps }, (_, at) => readRow(STEPS.columns, steps, next + at));
      next += path.steps;
      // Numbers are added to, so they must not be the profile's.
      this.addPath(renumbered({ ...path, steps: own.map((step) => ({ ...step, served: [...step.served] })) }));
    }
    this.otherPaths.addTable(otherPaths, numbers);
    this.residency.addTable(residency, numbers);
    this.objectBins.addTable(objectBins, numbers);
    this.missBins.addTable(missBins, numbers);
    this.setLines = sets.lines.map((lines, set) => Math.max(lines, this.setLines[set] ?? 0));
  }

  /** As the flow has them; steps one behind the other. */
  sortPaths(renumber: Renumber): PathRow[] {
    return this.#paths.map(pathRenumbering(renumber)).sort(comparePathRows);
  }

  freeze(facts: FlowFacts, renumber: Renumber): Flow {
    const rows = this.sortPaths(renumber);
    return {
      by: facts.by,
      mostPaths: facts.mostPaths,
      paths: freezeRows(
        PATHS.columns,
        rows.map((row) => ({ ...row, steps: row.steps.length })),
      ),
      steps: freezeRows(
        STEPS.columns,
        rows.flatMap((row) => row.steps),
      ),
      otherPaths: this.otherPaths.freeze(renumber),
      residency: this.residency.freeze(renumber),
      objectBins: this.objectBins.freeze(renumber),
      missBins: this.missBins.freeze(renumber),
      sets: { lines: this.setLines },
    };
  }
}

function pathRenumbering(renumber: Renumber): (row: PathRow) => PathRow {
  const [path, step] = [rowRenumbering(PATHS.columns, renumber), rowRenumbering(STEPS.columns, renumber)];
  return (row) => ({ ...path(row), steps: row.steps.map(step) });
}

function comparePathRows(a: PathRow, b: PathRow): number {
  const order = comparePaths(a, b);
  if (order !== 0) return order;
  for (let at = 0; at < Math.min(a.steps.length, b.steps.length); at++) {
    const order = compareSteps(a.steps[at], b.steps[at]);
    if (order !== 0) return order;
  }
  return a.steps.length - b.steps.length;
}
