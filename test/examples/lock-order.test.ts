// Stage: test. Lock-based programs on one CPU and on two: the leading class of each type is the same, or the report
// says that locks decided.
import { cpus } from 'node:os';
import { describe, expect, test } from 'vitest';
import { leadingClass } from './example-suite.js';
import { buildExample, LOCK_BASED, record, report, workFolder } from './example-program.js';

function leadingClasses(trace: string): Map<string, { leading: string; orderBound: boolean }> {
  const bound = new Map(report(trace, 'data-profile').rows.map((row) => [row.type, row.orderBound === true]));
  const types = report(trace, 'miss-classification').rows.filter(
    (row) => row.field === null && row.levels.l1.misses > 0,
  );
  return new Map(
    types.map(({ type, levels }) => [
      type,
      { leading: leadingClass(levels.l1.classes), orderBound: bound.get(type) === true },
    ]),
  );
}

describe.each(LOCK_BASED)('%s', (name) => {
  test.skipIf(cpus().length < 2)(
    'has the same leading class per type on one CPU and on two, or says that it is order-bound',
    () => {
      const folder = workFolder(`lock-order-${name}`);
      const program = buildExample(name, 'dprof', ['-O2'], folder);
      const [one, two] = ['0', '0,1'].map((list) => {
        const trace = `${folder}/cpus-${list}.dptrace`;
        expect(record(trace, [program], ['taskset', '-c', list]).status).toBe(0);
        return leadingClasses(trace);
      });
      expect([...one.keys()].sort()).toEqual([...two.keys()].sort());
      for (const [type, { leading, orderBound }] of one) {
        const other = two.get(type) as { leading: string; orderBound: boolean };
        expect({ type, same: leading === other.leading || (orderBound && other.orderBound) }).toEqual({
          type,
          same: true,
        });
      }
    },
  );
});
