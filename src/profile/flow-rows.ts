// Stage: profile. Rows of the flow while it is put together, those of equal names as one; then columns in an order of
// their content. Paths differ in their steps too, and have them with them.

import { freezeRows, type RowOf } from '../base/table-description.js';
import type { Flow, FlowFacts } from './flow.js';
import { Rows } from './rows.js';
import { combineRows, compareBy, countRows, keyOf, readRow, renumberRow, type Renumber } from './table-rows.js';
import { FLOW_TABLES } from './tables.js';

const { paths: PATHS, steps: STEPS } = FLOW_TABLES;
const comparePaths = compareBy(PATHS);
const compareSteps = compareBy(STEPS);

export type StepRow = RowOf<typeof STEPS.columns>;
export type PathRow = Omit<RowOf<typeof PATHS.columns>, 'steps'> & { readonly steps: readonly StepRow[] };

/** Names are numbers of builders. */
export class FlowRows {
  readonly #paths = new Map<string, PathRow>();
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
    const key = `${keyOf(PATHS.columns, row)}${row.steps.map((step) => keyOf(STEPS.columns, step)).join('')}`;
    const known = this.#paths.get(key);
    if (known === undefined) {
      this.#paths.set(key, row);
      return;
    }
    combineRows(PATHS.columns, known, row, this.across);
    known.steps.forEach((step, index) => combineRows(STEPS.columns, step, row.steps[index], this.across));
  }

  /** All of a profile's; the numbers of its names become those of `numbers`. */
  addFlow({ paths, steps, otherPaths, residency, objectBins, missBins, sets }: Flow, numbers: Renumber): void {
    let next = 0;
    for (let row = 0; row < countRows(PATHS.columns, paths); row++) {
      const path = readRow(PATHS.columns, paths, row);
      const own = Array.from({ length: path.steps }, (_, at) => readRow(STEPS.columns, steps, next + at));
      next += path.steps;
      // Numbers are added to, so they must not be the profile's.
      this.addPath(
        renumberPath({ ...path, steps: own.map((step) => ({ ...step, served: [...step.served] })) }, numbers),
      );
    }
    this.otherPaths.addTable(otherPaths, numbers);
    this.residency.addTable(residency, numbers);
    this.objectBins.addTable(objectBins, numbers);
    this.missBins.addTable(missBins, numbers);
    this.setLines = sets.lines.map((lines, set) => Math.max(lines, this.setLines[set] ?? 0));
  }

  /** As the flow has them; steps one behind the other. */
  sortPaths(renumber: Renumber): PathRow[] {
    return Array.from(this.#paths.values(), (row) => renumberPath(row, renumber)).sort(comparePathRows);
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

function renumberPath(row: PathRow, renumber: Renumber): PathRow {
  return {
    ...renumberRow(PATHS.columns, row, renumber),
    steps: row.steps.map((step) => renumberRow(STEPS.columns, step, renumber)),
  };
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
