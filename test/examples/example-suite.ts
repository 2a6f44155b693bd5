// Stage: test. The tests that every example gets: its references by type, field and kind as derived by hand, its
// finding, and its totals as an independent reader of the dump computes them, with both engines.
import { beforeAll, describe, expect, test } from 'vitest';
import { requireOrder } from '../order/require-order.js';
import {
  buildExample,
  checkDump,
  checkedPart,
  record,
  report,
  workFolder,
  type ExampleName,
  type Outcome,
  type Report,
} from './example-program.js';
import { atLength } from '../at-length.js';

export type Count = readonly [loads: number, stores: number];
/** By type; below it by field, or the count itself where a type has no fields. */
export type References = Readonly<Record<string, Count | Readonly<Record<string, Count>>>>;

export interface Expectation {
  readonly name: ExampleName;
  readonly flags?: readonly string[];
  readonly arguments?: readonly string[];
  /**
   * Every row there is, derived by hand from the source; from what the program printed where that says how often it
   * waited.
   */
  readonly references: (stdout: string) => References;
  /** The finding that the README promises. */
  readonly finding: (views: Views) => void;
}

export interface Views {
  /** Row of `miss-classification`. */
  row(type: string, field?: string | null): Record<string, any>;
  readonly classification: Report;
  readonly sharing: Report;
  readonly trace: string;
}

export function leadingClass(classes: Record<string, number>): string {
  return Object.entries(classes).reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function isCount(value: Count | Readonly<Record<string, Count>>): value is Count {
  return Array.isArray(value);
}

/** `type` and `type / field` -> [loads, stores]; the row of a type is the sum of its fields. */
function expandRows(references: References): Record<string, Count> {
  const rows: Record<string, Count> = {};
  for (const [type, value] of Object.entries(references)) {
    if (isCount(value)) {
      rows[type] = value;
      continue;
    }
    const fields = Object.entries(value);
    rows[type] = [
      fields.reduce((sum, [, count]) => sum + count[0], 0),
      fields.reduce((sum, [, count]) => sum + count[1], 0),
    ];
    for (const [field, count] of fields) rows[`${type} / ${field}`] = count;
  }
  return rows;
}

function reportedRows(classification: Report): Record<string, Count> {
  return Object.fromEntries(
    classification.rows.map((row) => [
      row.field === null ? row.type : `${row.type} / ${row.field}`,
      [row.references.loads, row.references.stores] as const,
    ]),
  );
}

const ENGINES = atLength(['native'], ['native', 'ts']);

export function describeExample(expectation: Expectation): void {
  const { name } = expectation;
  describe(name, () => {
    const folder = workFolder(name);
    const trace = `${folder}/${name}.dptrace`;
    let outcome: Outcome;
    let classification: Report;

    beforeAll(() => {
      const program = buildExample(name, 'dprof', ['-O2', ...(expectation.flags ?? [])], folder);
      outcome = record(trace, [program, ...(expectation.arguments ?? [])]);
      classification = report(trace, 'miss-classification');
    });

    test('ends well and leaves a whole trace', () => {
      expect(outcome).toMatchObject({ status: 0, signal: null });
      expect(classification.truncated).toBe(false);
    });

    test('makes the references that its source says, by type, field and kind', () => {
      expect(reportedRows(classification)).toEqual(expandRows(expectation.references(outcome.stdout)));
    });

    test('shows what its README promises', () => {
      expectation.finding({
        classification,
        sharing: report(trace, 'sharing'),
        trace,
        row(type, field = null) {
          const row = classification.rows.find((candidate) => candidate.type === type && candidate.field === field);
          if (!row) throw new Error(`no row ${type} ${field ?? ''}`);
          return row;
        },
      });
    });

    test('is replayed in orders that could have happened, as its stamps say', () => {
      requireOrder(trace);
    });

    test.each(ENGINES)(
      'has the totals that an independent reader of the dump computes, by engine %s',
      async (engine) => {
        const checked = await checkDump(trace);
        expect(checkedPart(report(trace, 'data-profile', ['--engine', engine]).totals)).toEqual(checked);
      },
    );
  });
}
