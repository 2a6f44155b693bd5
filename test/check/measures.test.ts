// Stage: test. Every number that a check can name is the one that `dprof report` prints of the same trace.

import { beforeAll, describe, expect, test } from 'vitest';
import type { ProgramResult, StatementResult } from '../../src/check/check-result.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { outputOf } from '../cli/command-client.js';
import { Project, SOURCE } from './project.js';

const project = new Project();
const LINES = { push: `line ${SOURCE}:37`, short: 'line work.c:37', site: `site ${SOURCE}:35` };
/** By subject, the rows that `dprof report` has of it: the view's --by, and what chooses the row. */
const ROWS = {
  list: [
    ['struct node', 'type', { type: 'struct node', field: null }],
    ['struct node.key', 'field', { type: 'struct node', field: 'key' }],
    ['struct node.next', 'field', { type: 'struct node', field: 'next' }],
    ['function push', 'function', { function: 'push' }],
    ['function sum_up', 'function', { function: 'sum_up' }],
    [LINES.push, 'line', { line: `${SOURCE}:37` }],
    [LINES.short, 'line', { line: `${SOURCE}:37` }],
  ],
  counters: [
    ['struct counters', 'type', { type: 'struct counters', field: null }],
    ['struct counters.right', 'field', { type: 'struct counters', field: 'right' }],
    ['function count_left', 'function', { function: 'count_left' }],
  ],
} as const;

interface Row {
  readonly unusedBytes: number;
  readonly fetchedBytes: number;
  readonly references: { readonly loads: number; readonly stores: number };
  readonly missLatencyCycles: number;
  readonly levels: Readonly<
    Record<string, { readonly misses: number; readonly classes: Readonly<Record<string, number>> }>
  >;
  readonly [key: string]: unknown;
}

interface Report {
  readonly totals: Pick<Row, 'missLatencyCycles' | 'levels'> &
    Readonly<Record<'loads' | 'stores' | 'references' | 'instructions' | 'invalidations', number>>;
  readonly rows: readonly Row[];
  readonly sums: Readonly<Record<'fetchedBytes' | 'unusedBytes', number>>;
}

/** What dprof.yml may ask of any subject: by its name, from a row of a report. */
function numbersOf({
  references: { loads, stores },
  missLatencyCycles,
  levels,
}: Pick<Row, 'references' | 'missLatencyCycles' | 'levels'>): Record<string, number> {
  const references = loads + stores;
  return {
    references,
    loads,
    stores,
    'estimated-cycles': missLatencyCycles,
    ...Object.fromEntries(
      LEVELS.flatMap((level) => [
        [`${level}-misses`, levels[level].misses],
        [`${level}-miss-rate`, (100 * levels[level].misses) / references],
        ...CLASSES.map((name) => [`${level}-${name}`, levels[level].classes[name]]),
      ]),
    ),
    ...Object.fromEntries(CLASSES.map((name) => [name, levels.l1.classes[name]])),
  };
}

const isShare = (name: string): boolean => name.endsWith('-rate') || name.endsWith('%');

function yamlFor(
  programs: Readonly<Record<string, readonly (readonly [subject: string, numbers: string[]])[]>>,
): string {
  const lines = Object.entries(programs).flatMap(([name, statements]) => [
    `  ${name}:`,
    `    run: ./work ${name} 300`,
    '    limits:',
    ...statements.flatMap(([subject, numbers]) =>
      numbers.map((number) => {
        const text = `${number} >= 0${isShare(number) ? ' %' : ''}`;
        return `      - ${subject === '' ? text : `"${subject}: ${text}"`}`;
      }),
    ),
  ]);
  return ['programs:', ...lines, ''].join('\n');
}

const SHARED = Object.keys(
  numbersOf({
    references: { loads: 0, stores: 0 },
    missLatencyCycles: 0,
    levels: Object.fromEntries(LEVELS.map((level) => [level, { misses: 0, classes: {} }])),
  }),
);
const OF_RUN = ['instructions', 'invalidations', 'cache-to-cache', 'l1-misses per walk', 'l1-misses per 3 walk'];
const PER = [
  'loads per reference',
  'loads per 1000 references',
  'l1-misses per instruction',
  'stores per 1000 instructions',
];

let programs: Readonly<Record<string, ProgramResult>>;
beforeAll(() => {
  const asked = (rows: (typeof ROWS)['list' | 'counters']): [string, string[]][] =>
    rows.map(([subject]) => [subject, SHARED]);
  const result = project.result(
    yamlFor({
      list: [
        ...asked(ROWS.list),
        ['', [...SHARED, ...OF_RUN, ...PER]],
        [LINES.site, ['references', 'estimated-cycles']],
      ],
      counters: [...asked(ROWS.counters), ['', SHARED], ['struct counters', ['cache-to-cache', ...PER]]],
    }),
  );
  programs = Object.fromEntries(result.programs.map((one) => [one.name, one]));
});

function report(program: string, ...words: string[]): Report {
  return JSON.parse(outputOf(['report', programs[program].trace!, '--format', 'json', ...words])) as Report;
}

const byClass = (program: string, by: string): Report =>
  report(program, '--view', 'miss-classification', '--by', by, '--top', '1000');

/** As a baseline keeps it. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

function valueOf(program: string, subject: string, number: string): number {
  const found = programs[program].statements.filter(({ text }: StatementResult) =>
    text.startsWith(`${subject === '' ? '' : `${subject}: `}${number} >= 0`),
  );
  expect(found, `${subject}: ${number}`).toHaveLength(1);
  expect(found[0].value[0]).toBe(found[0].value[1]);
  return found[0].value[0];
}

const subjects = Object.entries(ROWS).flatMap(([program, rows]) => rows.map((row) => [program, ...row] as const));

test.each(subjects)('%s: %s', (program, subject, by, chosen) => {
  const rows = byClass(program, by).rows.filter((row) =>
    Object.entries(chosen).every(([key, value]) => row[key] === value),
  );
  expect(rows.length).toBeGreaterThan(0);
  const all = rows.map(numbersOf);
  for (const name of SHARED.filter((one) => !isShare(one)))
    expect([name, valueOf(program, subject, name)]).toEqual([name, all.reduce((sum, row) => sum + row[name], 0)]);
  if (rows.length === 1)
    for (const name of SHARED.filter(isShare)) expect(valueOf(program, subject, name)).toBe(rounded(all[0][name]));
});

describe.each(['list', 'counters'])('the whole of %s', (program) => {
  test('is what totals say', () => {
    const { totals } = byClass(program, 'type');
    const expected = numbersOf({ ...totals, references: totals });
    for (const name of SHARED) expect([name, valueOf(program, '', name)]).toEqual([name, rounded(expected[name])]);
  });
});

test('what only a run has, and what is told per something', () => {
  const { totals } = byClass('list', 'type');
  const { misses } = totals.levels.l1;
  const expected: Readonly<Record<string, number>> = {
    instructions: totals.instructions,
    invalidations: totals.invalidations,
    'cache-to-cache': 0,
    'l1-misses per walk': misses / 2,
    'l1-misses per 3 walk': (misses / 2) * 3,
    'loads per reference': totals.loads / totals.references,
    'loads per 1000 references': (1000 * totals.loads) / totals.references,
    'l1-misses per instruction': misses / totals.instructions,
    'stores per 1000 instructions': (1000 * totals.stores) / totals.instructions,
  };
  for (const name of [...OF_RUN, ...PER])
    expect([name, valueOf('list', '', name)]).toEqual([name, rounded(expected[name])]);
});

test('references served by another core, of a type', () => {
  const { rows, totals } = report('counters', '--view', 'data-profile');
  const [{ references }] = rows.filter(({ type }) => type === 'struct counters');
  expect(valueOf('counters', 'struct counters', 'cache-to-cache')).toBe(999);
  expect(valueOf('counters', 'struct counters', 'loads per reference')).toBe(
    rounded(references.loads / totals.references),
  );
});

test('objects of a site', () => {
  const [row] = byClass('list', 'site').rows.filter(({ site }) => site === `${SOURCE}:35`);
  expect(valueOf('list', LINES.site, 'references')).toBe(row.references);
  expect(valueOf('list', LINES.site, 'estimated-cycles')).toBe(row.missLatencyCycles);
});

test('sizes, unused bytes and shares', () => {
  const limits = [
    'struct node: bytes >= 0, lines >= 0, unused-bytes >= 0 bytes, unused-bytes >= 0 %, l1-misses >= 0 %',
    'struct node.next: bytes >= 0, loads >= 0 %',
    'unused-bytes >= 0 bytes, unused-bytes >= 0 %',
  ];
  const values = project
    .statements(
      [
        'programs:',
        '  list:',
        '    run: ./work list 300',
        '    limits:',
        ...limits.map((one) => `      - ${one}`),
        '',
      ].join('\n'),
    )
    .map(({ value }) => value[0]);
  const { rows, sums } = report('list', '--view', 'unused-bytes', '--top', '1000');
  const [node] = rows.filter(({ type, field }) => type === 'struct node' && field === null);
  const { totals, rows: types } = byClass('list', 'type');
  const own = types.find(({ type }) => type === 'struct node') as Row;
  const field = byClass('list', 'field').rows.find(({ field: name }) => name === 'next') as Row;
  expect(values).toEqual(
    [
      24,
      1,
      node.unusedBytes,
      (100 * node.unusedBytes) / node.fetchedBytes,
      (100 * own.levels.l1.misses) / totals.levels.l1.misses,
      8,
      (100 * field.references.loads) / totals.loads,
      sums.unusedBytes,
      (100 * sums.unusedBytes) / sums.fetchedBytes,
    ].map(rounded),
  );
});

test.each([
  ['struct nod: loads <= 1', "no type 'struct nod' in this run", "did you mean 'struct node'"],
  ['struct node.kye: loads <= 1', "no field 'kye' of struct node", "did you mean 'key', 'next'"],
  ['function sum_dwon: loads <= 1', "no function 'sum_dwon' in this run", "did you mean 'sum_up'"],
  ['line work.c:9999: loads <= 1', "no line 'work.c:9999' in this run", ''],
  ['site work.c:1: references <= 1', "no site 'work.c:1' that objects come from", ''],
  ['loads per wlak <= 1', 'loads per wlak: the run has no such mark', "did you mean 'walk'?"],
  ['char: lines <= 1', 'char has no size that the run knows', ''],
])('%s: %s', (statement, what, hint) => {
  const text = ['programs:', '  list:', '    run: ./work list 300', '    limits:', `      - "${statement}"`, ''].join(
    '\n',
  );
  const { status, stdout, stderr } = project.check(text, ['--no-advice']);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^dprof: [^\n]+dprof[.]yml:5:9: [^\n]+\nhint: [^\n]+\n$/);
  expect(stderr).toContain(`:5:9: ${what}\n`);
  expect(stderr).toContain(hint);
});
