// Stage: test. Both engines return the columns that results are described with, and the engine's header is the
// description's.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ELEMENTS, listCells, pick, type Columns } from '../../src/base/table-description.js';
import { engineHeader, RESULT_TABLES } from '../../src/replay/engine-header.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { replayNatively } from './replay-natively.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';

const trace = { ...openTrace(traceFile(randomTrace(3))), flow: { by: 'line', mostPaths: 10, mostSteps: 64 } as const };
const input = { ...replayInput(trace, randomMachine(3), { kind: 'logical' }), sharedVariables: { mostCounts: 100 } };

function columnsOf(table: object): [name: string, element: string][] {
  return Object.entries(table)
    .filter(([name]) => name !== 'count')
    .map(([name, column]): [string, string] => [name, (column as object).constructor.name])
    .sort();
}

function described(columns: Columns): [name: string, element: string][] {
  return listCells(columns)
    .map(({ name, column }): [string, string] => [name, ELEMENTS[column.element].name])
    .sort();
}

test.each<[string, () => ReplayResult]>([
  ['native', () => replayNatively(input)],
  ['TypeScript', () => simulate(input)],
])('the %s engine fills every column that is described, and no other', (_, replay) => {
  const result = replay();
  for (const [name, { columns }] of Object.entries(RESULT_TABLES))
    expect([name, columnsOf(pick(result, name.split('.')) as object)]).toEqual([name, described(columns)]);
});

test('engine/generated/result_columns.h is current: node scripts/generate-engine-header.mjs writes it', () => {
  expect(readFileSync(new URL('../../engine/generated/result_columns.h', import.meta.url), 'utf8')).toBe(
    engineHeader(),
  );
});
