// Stage: test. Reports as text, CSV and JSON.

import { expect, test } from 'vitest';
import { joinSchedules } from '../../src/profile/schedule-table.js';
import { COUNTERS } from '../../src/contract/result.js';
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
  expect(text(['data-profile'], 132).split('\n').slice(5, 15)).toEqual([
    'data profile: types by estimated cycles; misses of the LLC',
    'type                of time  est. cycles  of all  most of it          most at    L1 misses  LLC ' +
      'misses  by  cores',
    '──────────────────  ───────  ───────────  ──────  ──────────────────  ─────────  ─────────  ────' +
      '──────  ──  ───────────────────',
    'struct args           37.6%       18,000   80.4%  LLC false sh. 51%   main.c:12         90      ' +
      '    90  d   bounce write-shared',
    'struct node           50.1%        2,400   10.7%  LLC capacity 70%    main.c:30         12          12  da',
    'heap-48 (main.c:9)     3.1%          800    3.6%  LLC compulsory 77%  main.c:31          4           4  s',
    'int                    1.7%          800    3.6%  LLC true sh. 77%    main.c:16          4      ' +
      '     4  da  bounce order-bound',
    '(untyped)              0.8%          200    0.9%  LLC compulsory 77%  main.c:32          1           1  -',
    'long[]                 0.4%          200    0.9%  LLC compulsory 77%  main.c:21          1           1  d',
    'all types             93.6%       22,400  100.0%  LLC false sh. 41%                    112         112',
  ]);
});

test('what a narrow data profile keeps: shares, what and where, and the misses of its level', () => {
  const headings = (columns: number): string[] =>
    text(['data-profile'], columns)
      .split('\n')
      .filter((line) => line.startsWith('type  '))
      .map((line) => line.split(/ {2,}/).join(', '));
  expect([80, 72, 62].map(headings)).toEqual([
    ['type, of time, of all, most of it, most at, LLC misses'],
    ['type, of time, most of it, most at, LLC misses'],
    ['type, most of it, most at, LLC misses'],
  ]);
});

test('sharing as text: two lines per pair', () => {
  expect(text(['sharing'], 132).split('\n').slice(6, 10)).toEqual([
    'L1 misses  of all  class          relation             type and field  in            at         object',
    '─────────  ──────  ─────────────  ───────────  ──────  ──────────────  ────────────  ─────────  ' +
      '──────────────────',
    '       60   63.8%  false-sharing  same-object  missed  struct args.sx  worker        main.c:12  pair (main.c:3)',
    '                                               stored  struct args.sy  worker        main.c:14  pair (main.c:3)',
  ]);
});

test('sharing with call paths: of each side that of the access, then that of its allocation', () => {
  const view = VIEWS.sharing.build(profile, { callPath: true });
  const lines = renderText(new Map([['sharing', view]]), { top: 1, style: chooseStyle({ columns: 132 }, {}) });
  expect(lines.split('\n').slice(8, 12)).toEqual([
    '       60   63.8%  false-sharing  same-object  missed  struct args.sx  worker  main.c:12  pair (main.c:3)',
    '    accessed   main.c:12 worker',
    '                                               stored  struct args.sy  worker  main.c:14  pair (main.c:3)',
    '    accessed   main.c:14 worker',
  ]);
});

test('evictions as text: each level with its worst sets', () => {
  expect(text(['evictions'], 132).split('\n').slice(5, 14)).toEqual([
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
  expect(text(['unused-bytes'], 132).split('\n').slice(6, 17)).toEqual([
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
  const view = VIEWS['miss-classification'].build(profile, { by: 'function' });
  const report = renderText(new Map([['miss-classification', view]]), {
    top: 2,
    style: chooseStyle({ columns: 132 }, {}),
  });
  expect(report.split('\n').slice(5, 11)).toEqual([
    'miss classification by function: why each LLC miss happened, by estimated cycles',
    'function       est. cycles  of all  LLC misses  compulsory  true sharing  false sharing  conflic' +
      't  capacity  L1 misses  references',
    '─────────────  ───────────  ──────  ──────────  ──────────  ────────────  ─────────────  ───────' +
      '─  ────────  ─────────  ──────────',
    'worker              18,800   83.9%          94           0            34             60         ' +
      '0         0         94         342',
    'scan, "fast"         3,400   15.2%          17           5             0              0         ' +
      '1        11         17         118',
    'all functions       22,400  100.0%         112           6            34             60         ' +
      '1        11        112         468',
  ]);
});

test('before use, after use and freed elsewhere are columns where there is room', () => {
  const [heading, , args, node] = text(['data-profile'], 240).split('\n').slice(5, 9);
  expect(heading).toContain('before use  after use  freed elsewhere');
  expect([args, node].map((line) => line.trim().split(/ +/).slice(-3))).toEqual([
    ['0', '0', '0'],
    ['4', '2', '1'],
  ]);
});

test('what the numbers are exact for stands below the tables', () => {
  const lines = text(['data-profile'], 200).trimEnd().split('\n').slice(-11);
  expect(lines).toEqual([
    'type or variable named                  441   94.2%        107   95.5%',
    'heap object, by allocation site          15    3.2%          4    3.6%',
    'scalar only                               7    1.5%          0    0.0%',
    'untyped                                   5    1.1%          1    0.9%',
    '',
    'totals       237 loads, 231 stores of 2 threads in 1,000 instructions of replay time; 90 invalidations, 7 ' +
      'upgrades, 5 write-backs',
    'typed by     object 90.4%/93.8%, descriptor 2.1%/0.9%, vote 1.3%/0.9%, site 3.2%/3.6%, variable ' +
      '0.4%/0.0%, scalar 1.5%/0.0%, untyped 1.1%/0.9% (of references / of L1 misses)',
    'exact for    the whole run, this machine, the logical schedule (one instruction per cycle on every core, ' +
      'recorded synchronisation kept), addresses that a second recording repeats (aslr: off)',
    'order-bound  1.5% of 200 segments waited for recorded synchronisation; 1.0% of 100 transfers of a line ' +
      'between cores were bound by locks, atomics or system calls',
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

test('columns that go on below have what names their rows beside them, as far as there is room', () => {
  const columns = [
    ...(['type', 'at'] as const).map((heading) => ({ heading, align: 'left', shortest: 8 }) as const),
    ...(['hits', 'misses'] as const).map((heading) => ({ heading, align: 'right' }) as const),
  ];
  const rows = [
    ['struct a', 'a.c:1', '1', '12,345,678'],
    ['struct a', 'a.c:2', '2', '9'],
  ];
  const partsOf = (width: number): string[] => renderTable(columns, rows, width).split('\n\n');
  expect(partsOf(30).map((part) => part.split('\n')[2])).toEqual([
    'struct a  a.c:1     1',
    'struct a  a.c:1  12,345,678',
  ]);
  expect(partsOf(21).map((part) => part.split('\n')[2])).toEqual(['struct a  a.c:1     1', 'struct a  12,345,678']);
});

test('a place behind a name is shortened before the name', () => {
  const at = (text: string, ...lengths: readonly number[]): string[] => lengths.map((length) => shorten(text, length));
  expect(at('double[] work (main.c:12)', 25, 24, 20, 19, 13, 12)).toEqual([
    'double[] work (main.c:12)',
    'double[] work (…in.c:12)',
    'double[] work (…:12)',
    'double[] work…',
    'double[] work',
    'double[…:12)',
  ]);
  expect(at('heap-64 next (list.c:1234)', 25, 21, 20, 16)).toEqual([
    'heap-64 next (…st.c:1234)',
    'heap-64 next (…:1234)',
    'heap-64 next…',
    'heap-64 next…',
  ]);
  expect(at('struct node (a/util.c:3, 16 bytes)', 20)).toEqual(['struct node (…bytes)']);
  expect(at('ns::run(int)::scratch (anonymous)', 20)).toEqual(['ns::run(in…nonymous)']);
});

test('shortened text keeps both ends, and of a line all digits', () => {
  expect([shorten('abcdefgh', 8), shorten('abcdefghi', 8), shorten('abcdefghi', 3)]).toEqual([
    'abcdefgh',
    'abcd…ghi',
    'a…i',
  ]);
  expect(shorten('sqlite3.c:73791', 10)).toBe('sql…:73791');
  expect(shorten('list.c:1234567', 8)).toBe('list…567');
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
    'class,misses,relation,missed.type,missed.field,missed.variable,missed.function,missed.site,missed.callPath,' +
      'missed.allocatedAt,missed.receiver,missed.allocationPath,missed.allocatedBy,' +
      'writer.type,writer.field,writer.variable,writer.function,writer.site,writer.callPath,' +
      'writer.allocatedAt,writer.receiver,writer.allocationPath,writer.allocatedBy,allocatedBy',
    'false-sharing,60,same-object,struct args,sx,pair,worker,main.c:12,worker:main.c:12,main.c:3,,:main.c:3,,' +
      'struct args,sy,pair,worker,main.c:14,worker:main.c:14,main.c:3,,:main.c:3,,::60',
    'true-sharing,30,same-object,struct args,sy,pair,worker,main.c:14,worker:main.c:14,main.c:3,,:main.c:3,,' +
      'struct args,sy,pair,worker,main.c:14,worker:main.c:14,main.c:3,,:main.c:3,,::30',
    'true-sharing,3,same-type,int,counter,counter,worker,main.c:16,worker:main.c:16,main.c:4,,:main.c:4,,' +
      'int,counter,counter,worker,main.c:16,worker:main.c:16,main.c:4,,:main.c:4,,::3',
    'true-sharing,1,same-type,int,counter,counter,worker,main.c:16,worker:main.c:16,main.c:4,,:main.c:4,,' +
      'int,,,"scan, ""fast""",main.c:31,"scan, ""fast"":main.c:31",,,,,::1',
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

test.each([24, 40, 60, 72, 80, 100, 132, 200])('classes add up to the misses in %i columns', (width) => {
  const view = VIEWS['miss-classification'].build(profile);
  const report = renderText(new Map([['miss-classification', view]]), {
    top: 20,
    style: chooseStyle({ columns: width }, {}),
  });
  const section = report.slice(report.indexOf('miss classification'), report.indexOf("by DProf's rule"));
  // Each part of the table repeats the names of its rows; its headings stand above a line.
  const cells = new Map<string, string>();
  let headings: string[] = [];
  section.split('\n').forEach((line, index, lines) => {
    const split = (text: string): string[] => text.trim().split(/ {2,}/);
    if (/^─/.test(lines[index + 1] ?? '')) headings = split(line);
    if (line.startsWith('all types')) split(line).forEach((cell, at) => cells.set(headings[at].replace('.', ''), cell));
  });
  const counts = ['LLC misses', 'compuls', 'true sh', 'false sh', 'conflict', 'capacity'].map(
    (heading) => [...cells].find(([name]) => name.startsWith(heading))?.[1],
  );
  expect(counts).toEqual(['112', '6', '34', '60', '1', '11']);
});

test('a column that is 0 throughout makes room first, and the text says so', () => {
  const { tallies } = profile;
  const conflict = COUNTERS.indexOf('llc.conflict');
  const [counters, capacity] = [Float64Array.from(tallies.counters), COUNTERS.indexOf('llc.capacity')];
  for (let at = 0; at < counters.length; at += COUNTERS.length) {
    counters[at + capacity] += counters[at + conflict];
    counters[at + conflict] = 0;
  }
  const view = VIEWS['miss-classification'].build({ ...profile, tallies: { ...tallies, counters } });
  const lines = renderText(new Map([['miss-classification', view]]), {
    top: 20,
    style: chooseStyle({ columns: 80 }, {}),
  });
  expect(lines).toMatch(/^type +LLC misses +compuls. +true sh. +false sh. +capacity$/m);
  expect(lines.replace(/\s+/g, ' ')).toContain('Left out, as it is 0 throughout: conflict.');
});

test('three lines say what it is of, and fit 80 columns; several views repeat none of them', () => {
  const lines = text(['data-profile', 'sharing'], 80).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'program      ./pairs --fast (exited with status 0)',
    'machine      default, 2 cores, L1 32K/8, L2 1M/16, LLC 32M/16, lines of 64 bytes',
    'misses       L1 112 of 468 references (23.9%), L2 112 of those (100.0%), LLC 112',
    '             of those (100.0%); 22,400 estimated cycles (L1 5.1%, L2 18.4%, LLC',
    '             76.5%), most by LLC false sharing',
  ]);
  for (const label of ['program', 'machine', 'misses', 'totals'])
    expect(lines.filter((line) => line.startsWith(`${label}  `)).length, label).toBe(1);
});

test('where nobody asked for a width, names are whole, and prose is not one line', () => {
  const long = `struct ${'very_'.repeat(40)}long`;
  const strings = profile.strings.map((name) => (name === 'struct node' ? long : name));
  const report = (columns: number | undefined, environment: Record<string, string>): string =>
    renderText(new Map([['data-profile', VIEWS['data-profile'].build({ ...profile, strings })]]), {
      top: 20,
      style: chooseStyle({ columns }, environment),
    });
  const whole = report(undefined, {});
  expect(whole).toContain(`\n${long} `);
  expect(whole).not.toContain('…');
  expect(
    whole.split('\n').filter((line) => !line.includes(long) && !/\S {2,}\S/.test(line) && line.length > 132),
  ).toEqual([]);
  for (const folded of [report(80, {}), report(undefined, { COLUMNS: '80' })]) {
    expect(folded).toContain('…');
    expect(folded.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('phases: a mark that is set again and again is named once, with the first time and the last', () => {
  const names = ['boot', 'request', 'begin', 'request', 'request', 'end'];
  const phases = names.map((name, index) => ({ name, time: 1000 * index }));
  const lines = (of: typeof phases): string[] => {
    const views = new Map([['data-profile', VIEWS['data-profile'].build({ ...profile, phases: of })] as const]);
    const all = renderText(views, { top: 1, style: chooseStyle({ columns: 200 }, {}) }).split('\n');
    return all.filter((line) => line.startsWith('phases '));
  };
  expect(lines(phases)).toEqual([
    'phases       boot at 0, request 3 times from 1,000 to 4,000, begin at 2,000, end at 5,000',
  ]);
  const many = Array.from({ length: 14 }, (_, index) => ({ name: `p${index}`, time: index }));
  expect(lines(many)[0]).toMatch(/ p11 at 11, and 2 others$/);
  const all = Array.from({ length: 4096 }, (_, index) => ({ name: 'request', time: index }));
  expect(lines(all)).toEqual(['phases       request 4,096 times from 0 to 4,095, of the first 4,096']);
  expect(lines([])).toEqual([]);
});
