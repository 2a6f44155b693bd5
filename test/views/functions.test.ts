// Stage: test. The code profile: per function what hand-made-run.ts says its lines add up to.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { buildFunctions } from '../../src/views/functions.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { buildView } from '../../src/views/views.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);

test('functions by L1 misses: references, misses, cycles and types of each', () => {
  const rows = buildFunctions(profile).rows.map((row) => [
    row.function,
    row.references.loads,
    row.references.stores,
    row.levels.l1.misses,
    row.missLatencyCycles,
    row.latencyCycles,
    row.types,
    row.typesMissed,
  ]);
  // worker: pair.sx 200 with 60 misses, pair.sy 100 with 30, counter 42 with 4; a hit costs 4 cycles, a miss 200.
  expect(rows).toEqual([
    ['worker', 122, 220, 94, 18800, 19792, 2, 2],
    ['scan, "fast"', 115, 3, 17, 3400, 3804, 4, 3],
    ['main', 0, 8, 1, 200, 228, 1, 1],
  ]);
});

test('they add up to the totals of the run, and their classes are those of the miss classification by function', () => {
  const view = buildFunctions(profile);
  expect(view.rows.reduce((sum, { references: { loads, stores } }) => sum + loads + stores, 0)).toBe(
    view.totals.references,
  );
  expect(view.rows.reduce((sum, { missLatencyCycles }) => sum + missLatencyCycles, 0)).toBe(
    view.totals.missLatencyCycles,
  );
  expect(view.rows.reduce((sum, { latencyCycles }) => sum + latencyCycles, 0)).toBe(view.totals.latencyCycles);
  const classified = buildMissClassification(profile, { by: 'function' }).rows;
  expect(view.rows.map(({ levels }) => levels)).toEqual(classified.map(({ levels }) => levels));
});

test('of one type only what it did with it', () => {
  const { rows, filter, totals } = buildView(profile, 'functions', { type: 'struct args' });
  expect(rows).toMatchObject([
    { function: 'worker', references: { loads: 100, stores: 200 }, types: 1, typesMissed: 1 },
  ]);
  expect([filter, totals.references]).toEqual([{ type: 'struct args' }, 468]);
});

test('as a table by cycles, and as CSV', () => {
  const view = buildFunctions(profile);
  const lines = renderText(new Map([['functions', view]]), { top: 2, style: chooseStyle({ columns: 110 }, {}) }).split(
    '\n',
  );
  expect(lines.slice(5, 11)).toEqual([
    'functions: the code profile, by estimated cycles; misses of the LLC',
    'function       of time  est. cycles  of all  most of it         L1 misses  L2 misses  LLC misses  references',
    '─────────────  ───────  ───────────  ──────  ─────────────────  ─────────  ─────────  ──────────  ──────────',
    'worker           43.9%       18,800   83.9%  LLC false sh. 49%         94         94          94         342',
    'scan, "fast"     55.6%        3,400   15.2%  LLC capacity 50%          17         17          17         118',
    'all functions   100.0%       22,400  100.0%  LLC false sh. 41%        112        112         112         468',
  ]);
  expect([...renderCsv(view.rows)][2]).toMatch(/^"scan, ""fast""",,115,3,3400,17,5,0,0,1,11,/);
});
