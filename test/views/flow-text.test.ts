// Stage: test. Working set, path traces and data flow as text and CSV.

import { expect, test } from 'vitest';
import { NO_INDEX } from '../../src/base/ids.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { drawBars } from '../../src/report/bars.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { renderCsv } from '../../src/report/csv.js';
import { foldRepeats } from '../../src/views/fold-repeats.js';
import { renderText } from '../../src/report/text-report.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { buildView, VIEWS } from '../../src/views/views.js';
import type { FLOW_VIEWS } from '../../src/views/views.js';
import { replayDrawing, type DrawnOptions } from '../drawn/replay-drawing.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { facts } from '../profile/hand-made-run.js';

const profile = handMadeFlowProfile();

function section(name: (typeof FLOW_VIEWS)[number], top = 20): string[] {
  return renderText(new Map([[name, VIEWS[name].build(profile)]]), { top, style: chooseStyle({ columns: 132 }, {}) })
    .split('\n')
    .slice(5);
}

test('narrow path traces keep in one table what a step costs, and who is far that served it', () => {
  const headings = (columns: number): string[] =>
    renderText(new Map([['path-traces', VIEWS['path-traces'].build(profile)]]), {
      top: 3,
      style: chooseStyle({ columns }, {}),
    })
      .split('\n')
      .filter((line) => line.startsWith('lives  '))
      .map((line) => line.split(/ {2,}/).join(', '));
  expect([80, 70, 60].map(headings)).toEqual([
    ['lives, type, time, function, core, L1, memory, cycles'],
    ['lives, type, time, function, core, memory, cycles'],
    ['lives, type, time, function, core, cycles'],
  ]);
});

test('path traces: a path from its allocation to its end, as DProf prints it', () => {
  expect(section('path-traces', 3).slice(0, 15)).toEqual([
    'path traces: the ways that objects went, by how many',
    'lives  of all  type          time  function           at         core    bytes  references     L1  memory  cycles',
    '─────  ──────  ───────────  ─────  ─────────────────  ─────────  ──────  ─────  ──────────  ─────  ──────  ──────',
    '    2   22.2%  long[]           0  stack totals       main.c:20',
    '                                2  main               main.c              0-64           4  87.5%   12.5%    28.5',
    '                               30  ended',
    '',
    '    1   11.1%  struct args      0  global pair        main.c:3',
    '                               10  worker             main.c               0-4         150  66.7%   33.3%    69.3',
    '                               40  worker             main.c     change    4-8         150  73.3%   26.7%    56.3',
    '                            1,000  alive at the end',
    '',
    '    1   11.1%  struct node      0  allocated in main  main.c:7',
    '                                0  main               main.c              0-16          10  90.0%   10.0%    23.6',
    '                               40  scan, "fast"       main.c     change   8-16          40  80.0%   20.0%    43.2',
  ]);
  const notes = section('path-traces').join(' ').replace(/\s+/g, ' ');
  expect(notes).toContain(
    'LEFT OUT: 1 life (11.1%, 0 references) went other ways than the 7 that were kept: --most-paths. CUT: 1 ' +
      'life (11.1%) had more steps than 64: --most-steps.',
  );
});

test('data flow: a graph as a list', () => {
  expect(section('data-flow', 2).slice(0, 17)).toEqual([
    'data flow: where objects of each type go, from allocation to free',
    'objects  of type  where                   at        core changes  references  cycles',
    '───────  ───────  ──────────────────────  ────────  ────────────  ──────────  ──────',
    '                  struct args: 1 object',
    '      1   100.0%    variable pair         main.c:3',
    '      1   100.0%    worker                main.c                         150    69.3',
    '      1   100.0%    worker                main.c           all 1         150    56.3',
    '      1   100.0%    alive at the end',
    '',
    '                  struct node: 3 objects',
    '      2    66.7%    allocated in main     main.c:7',
    '      2    66.7%    main                  main.c                         7.5    17.1',
    '      2    66.7%    scan, "fast"          main.c               1          30    33.4',
    '      2    66.7%    freed                                      1',
    '      1    33.3%    allocated in make     main.c:9',
    '      1    33.3%    scan, "fast"          main.c                          16    28.5',
    '      1    33.3%    ended',
  ]);
});

test('where there is no room for all, the places stay, and shares go', () => {
  const text = renderText(new Map([['data-flow', VIEWS['data-flow'].build(profile)]]), {
    top: 20,
    style: chooseStyle({ columns: 72 }, {}),
  });
  const [heading] = text.split('\n').filter((line) => line.startsWith('objects'));
  expect(heading.split(/\s{2,}/)).toEqual(['objects', 'where', 'at', 'moved', 'refs', 'cycles']);
});

test('ways that part stand further in, those that meet go on where they had parted', () => {
  const types = { 'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } } } as const;
  const names = ['a', 'b', 'c', 'd'];
  const heap = Object.fromEntries(
    names.map((name, at) => [name, { address: 0x10000 + 0x1000 * at, size: 16, type: 'struct pair', record: 'only' }]),
  ) as DrawnOptions['heap'];
  const ways: Record<string, string> = {
    a: 'put look take',
    b: 'put look take',
    c: 'put turn spin turn spin turn spin take',
    d: 'put',
  };
  const cells = names.map((name) =>
    [
      `alloc ${name}`,
      ...ways[name].split(' ').map((place) => `W ${name}.left in ${place}`),
      ...(name === 'd' ? [] : [`free ${name}`]),
    ].join('; '),
  );
  const flow = { by: 'function' as const, mostPaths: 100, mostSteps: 64 };
  // One site and one place for all: they differ by their ways alone.
  const { result, catalog, input } = replayDrawing(['core 0', ...cells].join('\n'), { types, heap, flow });
  const site = (slots: Uint32Array): Uint32Array => slots.map((slot) => (slot === NO_INDEX ? slot : 0));
  const tables = result.flow!;
  const own = buildProfile(
    {
      ...result,
      flow: {
        ...tables,
        paths: {
          ...tables.paths,
          allocationSlot: site(tables.paths.allocationSlot),
          freeSlot: site(tables.paths.freeSlot),
        },
      },
    },
    catalog,
    { run: facts.run, machine: input.machine, schedule: { kind: 'logical' }, flow },
  );
  const text = renderText(new Map([['data-flow', VIEWS['data-flow'].build(own)]]), {
    top: 20,
    style: chooseStyle({ columns: 132 }, {}),
  })
    .split('\n')
    .slice(8);
  expect(
    text.slice(0, 11).map((line) => `${line.slice(0, 7)}${line.slice(16).replace(/ {2,}drawn.*/, '')}`.trimEnd()),
  ).toEqual([
    '         struct pair: 4 objects',
    '      4    allocated',
    '      4    put',
    '      2    - look',
    '      2      to 10',
    '      1    - alive at the end',
    '           - 3 times:',
    '      1        turn',
    '      1        spin',
    '      1      to 10',
    '      3    10: take',
  ]);
});

test('working set: what lives, what lies in the caches, in which sets, and which ways it went', () => {
  expect(section('working-set').slice(0, 24)).toEqual([
    'working set: what lives, and what of it lies in the caches',
    'type          working set  most bytes  live  most live  lifetime  in L1  in L2  in LLC  L1 sets  over the run',
    '────────────  ───────────  ──────────  ────  ─────────  ────────  ─────  ─────  ──────  ───────  ' +
      '────────────────────',
    'heap-48@make         34 B        48 B   0.7          1       700      0      0       0   1 of 4        ' +
      '██████████████',
    'struct node          16 B        48 B   0.8          2       267    0.6      0     0.5  1 of 16    ▃▃▆▆▆▆▃▃▃▃██',
    'struct args           8 B         8 B     1          1     1,000      2      2       0   1 of 1  ' +
      '████████████████████',
    'long[]                6 B        64 B   0.1          1        30      0      0       0            ' +
      '██████████████████',
    'int                   4 B         4 B     1          1     1,000      0      0       0           ' +
      '████████████████████',
    '(no object)                                                         0.1      0       0',
    '(freed)                                                             0.5      0     0.5',
    '',
    'level    sets  ways  unused  given more lines than ways  of sets  most lines in set',
    '─────  ──────  ────  ──────  ──────────────────────────  ───────  ──────────────────────',
    'L1         64     8      61                           1     1.6%  7: 10 (struct node 10)',
    'L2      1,024    16   1,022                           0     0.0%',
    'LLC    32,768    16  32,768                           0     0.0%',
    '',
    'type          lives  of type  ways of objects',
    '────────────  ─────  ───────  ───────────────────────────',
    'struct args       1   100.0%  worker | alive',
    'struct node       2    66.7%  main > scan, "fast" | freed',
    '                  1    33.3%  scan, "fast" | ended',
    'heap-48@make      1   100.0%  make > ? | alive',
    'int               1   100.0%  worker | alive',
  ]);
});

test('of one type, its lines and misses in the sets of each level', () => {
  const view = buildView(profile, 'working-set', { type: 'struct node' });
  const lines = renderText(new Map([['working-set', view]]), {
    top: 20,
    style: chooseStyle({ columns: 132 }, {}),
  }).split('\n');
  const at = lines.findIndex((line) => line.startsWith('level  of the type'));
  expect(lines.slice(at, at + 5)).toEqual([
    `level  of the type  most  in        set 0${' '.repeat(61)}to`,
    `─────  ───────────  ────  ────────  ${'─'.repeat(64)}  ──────`,
    `L1     lines          10  a set     ${' '.repeat(7)}█${' '.repeat(58)}63`,
    `L1     misses         12  a set     ${' '.repeat(7)}█${' '.repeat(55)}▇  63`,
    `L2     lines          10  4 sets    █${' '.repeat(65)}1,023`,
  ]);
});

test('what comes again and again is told once, with how often', () => {
  const fold = (text: string): string =>
    foldRepeats([...text], (a, b) => a === b)
      .map(({ times, items }) =>
        times === 1 ? items.map(([item]) => item).join('') : `${times}(${items.map(([item]) => item).join('')})`,
      )
      .join(' ');
  expect([fold(''), fold('abab'), fold('xabababy'), fold('aaab'), fold('abcabcabcd'), fold('aabaabaab')]).toEqual([
    '',
    'a b a b',
    'x 3(ab) y',
    '3(a) b',
    '3(abc) d',
    '3(aab)',
  ]);
  expect(foldRepeats([1, 2, 1, 2, 1, 2], (a, b) => a === b)).toEqual([
    {
      times: 3,
      items: [
        [1, 1, 1],
        [2, 2, 2],
      ],
    },
  ]);
});

test('a spark for each twentieth of the run, of the highest', () => {
  expect(
    drawBars(
      Array.from({ length: 100 }, (_, part) => part),
      undefined,
      132,
    ),
  ).toBe('▁▁▁▂▂▃▃▄▄▄▅▅▆▆▆▇▇███');
  expect(drawBars(new Array<number>(100).fill(0), undefined, 132)).toBe('');
});

test('CSV: a row for each step, each edge, each type', () => {
  const csv = (name: (typeof FLOW_VIEWS)[number]): string[] =>
    [...renderCsv(csvRows(VIEWS[name].build(profile)))].map((line) => line.trimEnd());
  expect(csv('path-traces').slice(0, 3)).toEqual([
    'path,type,kind,variable,frequency,allocatedBy,allocatedAt,end,freedBy,freedAt,freedOnAnotherCore,cut,' +
      'averageLifetimeInstructions,step,function,file,line,stepCut,coreChange,beginOffset,endOffset,' +
      'averageTimeSinceAllocationInstructions,references,averageLatencyCycles,served.l1,served.l2,served.llc,' +
      'served.cache,served.memory',
    '1,long[],stack,totals,2,,main.c:20,ended,,,false,false,30,1,main,main.c,0,false,false,0,64,2,8,28.5,7,0,0,0,1',
    '2,struct ' +
      'args,global,pair,1,,main.c:3,alive,,,false,false,1000,1,worker,main.c,0,false,false,0,4,10,150,' +
      '69.33333333333333,100,0,0,0,50',
  ]);
  expect(csv('path-traces')).toHaveLength(1 + 11);
  expect(csv('data-flow').slice(0, 2)).toEqual([
    'type,objects,coreChanges,averageLatencyCycles,from.id,from.kind,from.function,from.file,from.line,' +
      'from.variable,from.end,from.cut,from.objects,from.references,from.averageLatencyCycles,to.id,to.kind,' +
      'to.function,to.file,to.line,to.variable,to.end,to.cut,to.objects,to.references,to.averageLatencyCycles',
    'struct ' +
      'args,1,0,69.33333333333333,0,allocation,,main.c,3,pair,,false,1,0,,1,step,worker,main.c,0,,,false,1,150,' +
      '69.33333333333333',
  ]);
  expect(csv('working-set')).toHaveLength(1 + 7);
  expect(csv('working-set')[2]).toMatch(
    /^struct node,3,3,0\.8,2,16,48,266\.6\d*,0 0 0 0 0 0 1 1 1,0\.6,0,0\.5,.*,"2 x main > scan, ""fast"" \| freed; 1 x scan, ""fast"" \| ended"$/,
  );
});
