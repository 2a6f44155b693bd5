// Stage: test. Reports as text, CSV and JSON.

import { expect, test } from 'vitest';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { renderCsv } from '../../src/report/csv.js';
import { formatBytes, formatCount, formatShare, plural } from '../../src/base/format-number.js';
import { renderJson } from '../../src/report/json.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { shorten } from '../../src/report/text-lines.js';
import { renderTable } from '../../src/report/text-table.js';
import type { View } from '../../src/views/view.js';
import { VIEWS, VIEW_NAMES, type AnyView, type ViewName } from '../../src/views/views.js';
import { facts } from '../profile/hand-made-run.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { countSchedule } from '../../src/profile/schedule-counts.js';

const alone = handMadeFlowProfile();
const profile = { ...alone, schedules: joinSchedules([countSchedule(alone)]) };

function text(names: readonly ViewName[], columns: number, top = 20): string {
  const views = new Map(names.map((name): [ViewName, AnyView] => [name, VIEWS[name].build(profile)]));
  return renderText(views, { top, style: chooseStyle({ columns }, {}) });
}

test('the data profile as text', () => {
  expect(text(['data-profile'], 132).split('\n').slice(6, 16)).toEqual([
    'data profile: types by L1 misses',
    'type          L1 misses  of all  miss rate  references  L2 misses  LLC misses  c2c  cycles  by  ' +
      'working set  cores',
    '────────────  ─────────  ──────  ─────────  ──────────  ─────────  ──────────  ───  ──────  ──  ' +
      '───────────  ───────────────────',
    'struct args          90   80.4%      30.0%         300         90          90    0    62.8  d           8 B  ' +
      'bounce write-shared',
    'struct node          12   10.7%      13.2%          91         12          12    0    29.8  da         16 B',
    'heap-48@make          4    3.6%      26.7%          15          4           4    0    56.3  s          34 B',
    'int                   4    3.6%       8.2%          49          4           4    0    20.0  da          4 B  ' +
      'bounce order-bound',
    '(untyped)             1    0.9%      20.0%           5          1           1    0    43.2  -           0 B',
    'long[]                1    0.9%      12.5%           8          1           1    0    28.5  d           6 B',
    'all types           112  100.0%      23.9%         468        112         112    0',
  ]);
});

test('sharing as text: two lines per pair', () => {
  expect(text(['sharing'], 132).split('\n').slice(7, 11)).toEqual([
    'L1 misses  of all  class          relation             type and field  in            at         object',
    '─────────  ──────  ─────────────  ───────────  ──────  ──────────────  ────────────  ─────────  ' +
      '──────────────────',
    '       60   63.8%  false-sharing  same-object  missed  struct args.sx  worker        main.c:12  pair (main.c:3)',
    '                                               stored  struct args.sy  worker        main.c:14  pair (main.c:3)',
  ]);
});

test('evictions as text: each level with its worst sets', () => {
  expect(text(['evictions'], 132).split('\n').slice(6, 15)).toEqual([
    'evictions: whose lines leave the caches, and for whom',
    'level  lines  of all  taken by      taken from         sets  worst sets',
    '─────  ─────  ──────  ────────────  ───────────  ──────────  ────────────',
    'L1        34   97.1%  struct args   struct node     2 of 64  9: 20, 7: 14',
    '           1    2.9%  heap-32@make  struct args     1 of 64  63: 1',
    'L2         5  100.0%  struct args   struct args  4 of 1,024  12-15: 5',
    "  evictions in all: 35 of the L1, 5 of the L2, 0 of the LLC. of all: of the level's evictions. taken by: " +
      'the reference that needed',
    '  room. taken from: the reference that had brought the line. sets: sets in which it happened, of all sets ' +
      'of the level. worst sets:',
    '  with the lines that left there.',
  ]);
});

test('unused bytes as text: fields under their type', () => {
  expect(text(['unused-bytes'], 132).split('\n').slice(7, 18)).toEqual([
    'type and field  unused bytes  of all  of fetched  fetched bytes',
    '──────────────  ────────────  ──────  ──────────  ─────────────',
    '(no object)            5,000   82.2%      100.0%          5,000',
    'struct args            1,000   16.4%       50.0%          2,000',
    '  sy                     900   14.8%       90.0%          1,000',
    '  sx                     100    1.6%       10.0%          1,000',
    'int                       60    1.0%       88.2%             68',
    '  counter                 60    1.0%       88.2%             68',
    'struct node               20    0.3%       20.0%            100',
    '  next                     4    0.1%       11.1%             36',
    'all types              6,080  100.0%       84.8%          7,168',
  ]);
});

test('misses by function, ranked by cycles, as text', () => {
  const view = VIEWS['miss-classification'].build(profile, { by: 'function', sort: 'cycles' });
  const report = renderText(new Map([['miss-classification', view]]), {
    top: 2,
    style: chooseStyle({ columns: 132 }, {}),
  });
  expect(report.split('\n').slice(6, 12)).toEqual([
    'miss classification by function: why each L1 miss happened',
    'function       L1 misses  of all  est. cycles  compulsory  true sharing  false sharing  conflict  ' +
      'capacity  L2 misses  references',
    '─────────────  ─────────  ──────  ───────────  ──────────  ────────────  ─────────────  ────────  ' +
      '────────  ─────────  ──────────',
    'worker                94   83.9%       18,800           0            34             60         0         ' +
      '0         94         342',
    'scan, "fast"          17   15.2%        3,400           5             0              0         1        ' +
      '11         17         118',
    'all functions        112  100.0%       22,400           6            34             60         1        ' +
      '11        112         468',
  ]);
});

test('before use, after use and freed elsewhere are columns where there is room', () => {
  const [heading, , args, node] = text(['data-profile'], 176).split('\n').slice(7, 11);
  expect(heading).toContain('before use  after use  freed elsewhere');
  expect([args, node].map((line) => line.trim().split(/ +/).slice(-3))).toEqual([
    ['0', '0', '0'],
    ['4', '2', '1'],
  ]);
});

test('what the numbers are exact for stands below the tables', () => {
  const lines = text(['data-profile'], 200).trimEnd().split('\n').slice(-10);
  expect(lines).toEqual([
    'type or variable named                  441   94.2%        107   95.5%',
    'heap object, by allocation site          15    3.2%          4    3.6%',
    'scalar only                               7    1.5%          0    0.0%',
    'untyped                                   5    1.1%          1    0.9%',
    '',
    'typed by     object 90.4%/93.8%, descriptor 2.1%/0.9%, vote 1.3%/0.9%, site 3.2%/3.6%, variable ' +
      '0.4%/0.0%, scalar 1.5%/0.0%, untyped 1.1%/0.9% (of references / of L1 misses)',
    'exact for    the whole run, this machine, the logical schedule (one instruction per cycle on every core, ' +
      'recorded synchronisation kept), addresses that a second recording repeats (aslr: off)',
    'order-bound  1.5% of 200 segments waited for recorded synchronisation; 1.0% of 100 transfers of a line ' +
      'between cores were made under a lock or by an atomic',
    'not covered  512 bytes written by libc or the kernel, 0 paths cut short, 0 references outside the life of ' +
      'their object',
    "left out     3 instructions of the program's text (inline assembly: 2, va_arg: 1)",
  ]);
});

test('a truncated trace and random addresses are said to be so', () => {
  const run = { ...facts.run, truncated: true, addressRandomisation: true };
  const view = VIEWS['data-profile'].build({ ...profile, run });
  const report = renderText(new Map([['data-profile', view]]), { top: 1, style: chooseStyle({ columns: 240 }, {}) });
  expect(report).toContain('program      ./pairs --fast (exited with status 0; TRUNCATED)\n');
  expect(report).toContain('exact for    the part of the run that was recorded (truncated), this machine,');
  expect(report).toContain('addresses of this run only (aslr: on)\n');
});

test.each([50, 60, 72, 80, 100, 132, 200])('every line of a report fits a terminal of %i columns', (columns) => {
  expect(
    text(VIEW_NAMES, columns)
      .split('\n')
      .filter((line) => line.length > columns),
  ).toEqual([]);
});

test('--top cuts rows and says of how many', () => {
  const report = text(['data-profile'], 132, 2);
  expect(report).toContain('\n  2 of 6 types that were referenced.');
  expect(report).not.toContain('heap-48@make');
});

test('a table too wide shortens names in the middle, then leaves out what can be spared', () => {
  const columns = [
    { heading: 'name', align: 'left', shortest: 8 },
    { heading: 'count', align: 'right' },
    { heading: 'extra', align: 'right', expendable: 1 },
  ] as const;
  const rows = [['struct a_long_name', '1', '22']];
  expect(renderTable(columns, rows, 24).split('\n')[2]).toBe('struc…name      1     22');
  expect(renderTable(columns, rows, 20).split('\n')[2]).toBe('struct…g_name      1');
});

test('shortened text keeps both ends', () => {
  expect([shorten('abcdefgh', 8), shorten('abcdefghi', 8), shorten('abcdefghi', 3)]).toEqual([
    'abcdefgh',
    'abcd…ghi',
    'a…i',
  ]);
});

test('colour only on a terminal, and not with NO_COLOR', () => {
  expect(chooseStyle({ isTTY: true, columns: 80 }, {}).strong('x')).toBe('\x1b[1mx\x1b[22m');
  expect(chooseStyle({ isTTY: true, columns: 80 }, { NO_COLOR: '1' }).strong('x')).toBe('x');
  expect(chooseStyle({}, { COLUMNS: '90' })).toMatchObject({ width: 90 });
  expect(chooseStyle({}, {}).strong('x')).toBe('x');
});

test('counts are grouped, shares never round what is there to nothing, bytes have binary units', () => {
  expect([formatCount(1234567), formatCount(999)]).toEqual(['1,234,567', '999']);
  expect([formatShare(1, 1e6), formatShare(0, 5), formatShare(99999, 1e5), formatShare(1, 0)]).toEqual([
    '<0.1%',
    '0.0%',
    '>99.9%',
    '-',
  ]);
  expect([formatBytes(1023), formatBytes(1536)]).toEqual(['1023 B', '1.5 KiB']);
});

test('CSV has a column per number, and quotes what needs it', () => {
  expect([...renderCsv(VIEWS.sharing.build(profile).rows)].join('').split('\n').slice(0, 5)).toEqual([
    'class,misses,relation,missed.type,missed.field,missed.variable,missed.function,missed.site,' +
      'missed.allocatedAt,missed.allocatedBy,writer.type,writer.field,writer.variable,writer.function,' +
      'writer.site,writer.allocatedAt,writer.allocatedBy',
    'false-sharing,60,same-object,struct args,sx,pair,worker,main.c:12,main.c:3,,struct ' +
      'args,sy,pair,worker,main.c:14,main.c:3,',
    'true-sharing,30,same-object,struct args,sy,pair,worker,main.c:14,main.c:3,,struct ' +
      'args,sy,pair,worker,main.c:14,main.c:3,',
    'true-sharing,3,same-type,int,counter,counter,worker,main.c:16,main.c:4,,int,counter,counter,worker,' +
      'main.c:16,main.c:4,',
    'true-sharing,1,same-type,int,counter,counter,worker,main.c:16,main.c:4,,int,,,"scan, ""fast""",main.c:31,,',
  ]);
  expect([...renderCsv(VIEWS.evictions.build(profile).rows)][1]).toMatch(
    /^struct args,struct node,l1,34,2,64,1,9:20 7:14,0 0 0 0 0 0 0 14 0 20 0 /,
  );
  expect([...renderCsv([{ a: 'x\ny', b: { c: null } }])]).toEqual(['a,b.c\n', '"x\ny",\n']);
});

test.each(VIEW_NAMES)('JSON of %s is the view, one row per line', (name) => {
  const view = VIEWS[name].build(profile) as View<unknown>;
  const json = [...renderJson(view)].join('');
  expect(JSON.parse(json)).toEqual(view);
  expect(json.split('\n').filter((line) => line.startsWith('  {"')).length).toBe(view.rows.length);
});

test('JSON of a view without rows', () => {
  const view = { ...VIEWS.sharing.build(profile), rows: [] };
  expect(JSON.parse([...renderJson(view)].join(''))).toEqual(view);
});

test('counts and their nouns', () => {
  const nouns = ['reference', 'L1 miss', 'branch', 'life', 'type'];
  expect(nouns.map((noun) => plural(1, noun))).toEqual(['1 reference', '1 L1 miss', '1 branch', '1 life', '1 type']);
  expect(nouns.map((noun) => plural(2000, noun))).toEqual([
    '2,000 references',
    '2,000 L1 misses',
    '2,000 branches',
    '2,000 lives',
    '2,000 types',
  ]);
  expect([plural(0, 'load'), plural(1024, 'byte', String)]).toEqual(['0 loads', '1024 bytes']);
});

test('a table of many rows has one head and each row once, in order', () => {
  const names = Array.from({ length: 300 }, (_, row) => `row ${row}`);
  const lines = renderTable(
    [
      { heading: 'name', align: 'left' },
      { heading: 'n', align: 'right' },
    ],
    names.map((name, row) => [name, String(row)]),
    80,
  ).split('\n');
  expect(lines).toEqual([
    'name       n',
    '───────  ───',
    ...names.map((name, row) => `${name.padEnd(7)}  ${String(row).padStart(3)}`),
  ]);
});
