// Samples beside a run: shares, intervals and verdicts by hand; each refusal.

import { expect, test } from 'vitest';
import { chooseStyle } from '../../../src/report/text-style.js';
import { renderSamplesValidation } from '../../../src/hardware/report/samples-validation-text.js';
import { checkProgram } from '../../../src/hardware/validate/same-program.js';
import type { SampledEvent } from '../../../src/hardware/samples/samples.js';
import type { SamplesValidation } from '../../../src/hardware/validate/validate-samples.js';
import { drawTypedSamples } from '../drawn-samples.js';
import { CODE, compare, drawRun, drawSampled, PACKET, SAME, TABLE } from './drawn-comparison.js';

// Lines 0-29, 30-39, 40-59, 60-79. Of 80 references 40 are to packets; of 60 loads 40. Two miss: the first of each.
const RUN = drawRun(`
  30 R packet.len in send
  10 R packet.next in take
  20 R table.size in send
  20 W table.size in take
`);
const STYLE = chooseStyle({}, {});

const measure = (data: SamplesValidation, name: string) => data.measures.find((each) => each.measure === name)!;
const shares = (data: SamplesValidation, of: string): unknown[] =>
  data.rows
    .filter((row) => row.measure === of)
    .map((row) => [
      row.field === null ? (row.type ?? row.function) : `${row.type}.${row.field}`,
      row.exactPercent,
      Number(row.sampledPercent?.toFixed(4)),
      row.samples,
      row.verdict,
    ]);

test('loads and stores count by their periods: of 60 loads at 20,000 and 8 stores at 50,000', () => {
  const data = compare(
    RUN,
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:3', samples: 30 },
      { what: 'struct packet.next', at: 'take drawn.c:31', samples: 10 },
      { what: 'struct table.size', at: 'send drawn.c:41', samples: 20 },
      { what: 'struct table.size', at: 'take drawn.c:61', op: 'store', from: 'unknown', samples: 8 },
    ]),
  );
  // 40 · 20,000 of 60 · 20,000 + 8 · 50,000 = 1,600,000.
  expect(shares(data, 'references')).toEqual([
    ['struct packet', 50, 50, 40, 'too-few'],
    ['struct table', 50, 50, 28, 'too-few'],
  ]);
  const references = measure(data, 'references');
  // 1.6e6² / (60 · 4e8 + 8 · 25e8) = 58.18 samples of one weight; 68 of these are needed where 58.18 would do: 2,398 ·
  // 68 / 58.18.
  expect(references).toMatchObject({
    of: 'references',
    exact: 80,
    samples: 68,
    enough: 2803,
    names: 2,
    distancePoints: 0,
    verdict: 'too-few',
  });
  expect(references.effectiveSamples).toBeCloseTo(58.1818, 4);
  // Wilson: 0.5 ± 1.96 / (1 + 3.8415 / 58.18) · √(0.25 / 58.18 + 3.8415 / (4 · 58.18²)).
  expect(data.rows[0].lowPercent).toBeCloseTo(37.56, 2);
  expect(data.rows[0].highPercent).toBeCloseTo(62.44, 2);
  expect(data.verdict).toBe('too-few');
  expect(data.skid).toEqual({ judged: 68, line: 68, function: 0, named: 0, skid: 0, rows: [], namedRows: [] });
  // Stores say no level, so levels and misses are of loads: 60, of which one of each type missed; 40 / 60 of packets.
  expect(measure(data, 'misses')).toMatchObject({
    verdict: 'not-comparable',
    reason: 'no sample says that it missed the L1',
    of: 'loads',
  });
  expect(
    data.levels.map(({ level, exactPercent, sampledPercent }) => [level, exactPercent?.toFixed(2), sampledPercent]),
  ).toEqual([
    ['L1', '96.67', 100],
    ['L2', '0.00', 0],
  ]);
});

test('enough samples of the exact shares agree; of the wrong ones they differ', () => {
  const drawn = (packets: number, tables: number) =>
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:3', samples: packets },
      { what: 'struct table.size', at: 'send drawn.c:41', samples: tables },
    ]);
  // 2/3 of the loads are to packets.
  const agrees = compare(RUN, drawn(4000, 2000));
  expect([agrees.verdict, measure(agrees, 'references').of]).toEqual(['agrees', 'loads']);
  expect(measure(agrees, 'references').distancePoints).toBeCloseTo(0, 9);
  // Two names: divergence · n above ln(80) = 4.382; 3,867 of 6,000 (64.45 %) is 0.0011 · 6,000 = 6.5.
  expect(compare(RUN, drawn(3867, 2133)).verdict).toBe('differs');
  // 65.6 %: 0.00025 · 6,000 = 1.5.
  expect(compare(RUN, drawn(3936, 2064)).verdict).toBe('agrees');
  expect(measure(compare(RUN, drawn(3867, 2133)), 'references')).toMatchObject({ rankCorrelation: 1, names: 2 });
  expect(measure(compare(RUN, drawn(2000, 4000)), 'references').rankCorrelation).toBe(-1);
});

test('a share that few samples rule out differs, however few they are', () => {
  // 20 of 20, where two thirds are: 20 · ln(1.5) = 8.1, above ln(80).
  expect(compare(RUN, drawSampled([{ what: 'struct packet.len', at: 'send drawn.c:3', samples: 20 }])).verdict).toBe(
    'differs',
  );
});

test('by field and by function', () => {
  const samples = drawSampled([
    { what: 'struct packet.len', at: 'send drawn.c:3', samples: 300 },
    { what: 'struct packet.next', at: 'take drawn.c:31', samples: 100 },
    { what: 'struct table.size', at: 'send drawn.c:41', samples: 200 },
    { what: '', at: 'take drawn.c:31', samples: 50 },
  ]);
  const byField = compare(RUN, samples, { by: 'field', tolerancePoints: 5 });
  expect(shares(byField, 'references')).toEqual([
    ['struct packet.len', 50, 50, 300, 'agrees'],
    ['struct table.size', 100 * (20 / 60), 33.3333, 200, 'agrees'],
    ['struct packet.next', 100 * (10 / 60), 16.6667, 100, 'agrees'],
  ]);
  expect(measure(byField, 'references')).toMatchObject({ samples: 600, samplesUnnamed: 50 });
  // A function has samples without a type too.
  const byFunction = compare(RUN, samples, { by: 'function', tolerancePoints: 5 });
  expect(shares(byFunction, 'references')).toEqual([
    ['send', 100 * (50 / 60), 76.9231, 500, 'differs'],
    ['take', 100 * (10 / 60), 23.0769, 150, 'differs'],
  ]);
});

test('misses, cycles and levels of loads', () => {
  const data = compare(
    RUN,
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:3', samples: 28, latency: 4 },
      { what: 'struct packet.next', at: 'take drawn.c:31', samples: 10, latency: 4 },
      { what: 'struct packet.len', at: 'send drawn.c:0', samples: 1, from: 'memory', latency: 200 },
      { what: 'struct table.size', at: 'send drawn.c:41', samples: 20, latency: 4 },
      { what: 'struct table.size', at: 'send drawn.c:40', samples: 1, from: 'L3', latency: 100 },
    ]),
  );
  expect(shares(data, 'misses')).toEqual([
    ['struct packet', 50, 50, 1, 'too-few'],
    ['struct table', 50, 50, 1, 'too-few'],
  ]);
  // Exact: 40 loads and a miss of 196 more cycles, 356; 20 loads and one, 276. Sampled: 352 and 180.
  expect(shares(data, 'cycles')).toEqual([
    ['struct packet', 100 * (356 / 632), 66.1654, 39, 'too-few'],
    ['struct table', 100 * (276 / 632), 33.8346, 21, 'too-few'],
  ]);
  expect(
    data.levels.map(({ level, exactPercent, sampledPercent, samples }) => [
      level,
      exactPercent?.toFixed(2) ?? null,
      sampledPercent.toFixed(2),
      samples,
    ]),
  ).toEqual([
    ['L1', '96.67', '96.67', 58],
    ['L2', '0.00', '0.00', 0],
    ['LLC', null, '1.67', 1],
    ['memory', null, '1.67', 1],
  ]);
});

test('skid: the line, the function, none of it', () => {
  const { skid } = compare(
    RUN,
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:3', samples: 5 },
      { what: 'struct packet.len', at: 'send drawn.c:41', samples: 3 },
      { what: 'struct packet.next', at: 'send drawn.c:3', samples: 2 },
      { what: 'struct packet.len', at: 'take drawn.c:61', samples: 4 },
      { what: '', at: 'send drawn.c:3', samples: 7 },
      { what: 'struct packet.len', at: 'other drawn.c:3', samples: 9 },
    ]),
  );
  expect(skid).toEqual({
    judged: 14,
    line: 5,
    function: 3,
    named: 0,
    skid: 6,
    rows: [
      { type: 'struct packet', field: 'len', function: 'take', site: 'drawn.c:61', samples: 4 },
      { type: 'struct packet', field: 'next', function: 'send', site: 'drawn.c:3', samples: 2 },
    ],
    namedRows: [],
  });
});

test('a type that is named differently is no skid: spelled otherwise in its function, or unknown to the trace', () => {
  const [spelled, byRule, elsewhere] = ['packet[8]', 'heap-64@make', 'const table'].map((name) => ({
    ...PACKET,
    name,
  }));
  const { skid } = compare(
    drawRun(`
      30 R packet.len in send
      10 R table.size in take
    `),
    drawTypedSamples({
      types: [spelled, byRule, elsewhere],
      rows: [
        { what: 'packet[8].len', at: 'send drawn.c:3', samples: 5 },
        { what: 'heap-64@make.len', at: 'send drawn.c:3', samples: 3 },
        { what: 'const table.len', at: 'send drawn.c:3', samples: 2 },
      ],
    }),
  );
  const row = { field: 'len', function: 'send', site: 'drawn.c:3' };
  expect(skid).toEqual({
    judged: 10,
    line: 0,
    function: 0,
    named: 8,
    skid: 2,
    rows: [{ type: 'const table', ...row, samples: 2 }],
    namedRows: [
      { type: 'packet[8]', ...row, samples: 5 },
      { type: 'heap-64@make', ...row, samples: 3 },
    ],
  });
});

test('code that was not instrumented is named, and has no share', () => {
  const samples = drawSampled([
    { what: 'struct packet.len', at: 'send drawn.c:3', samples: 5 },
    { what: 'struct packet.len', at: 'memcpy memmove.S:1', samples: 4 },
    { what: 'struct packet.len', at: 'plain plain.c:1', samples: 3 },
    { what: 'struct packet.len', at: 'copy_to_user u.c:1', samples: 2 },
    { what: '', at: '__dprof_refill log.cc:1', samples: 1 },
  ]);
  const modules = [
    ...samples.modules,
    { file: '/lib/libc.so.6', buildId: 'cc', isInstrumented: false, isKernel: false },
    { file: '[kernel.kallsyms]', buildId: '', isInstrumented: false, isKernel: true },
    { file: '/x/libdprof_runtime.so', buildId: '', isInstrumented: false, isKernel: false },
  ];
  const moduleOf: Readonly<Record<string, number>> = { memcpy: 1, copy_to_user: 2, __dprof_refill: 3 };
  const data = compare(RUN, {
    ...samples,
    modules,
    places: samples.places.map((place) => ({ ...place, module: moduleOf[place.function] ?? place.module })),
  });
  expect(data.counts).toEqual({ all: 15, instrumented: 5, foreign: 10, typed: 5 });
  expect(data.foreign).toEqual([
    { reason: 'c-library', module: '/lib/libc.so.6', function: 'memcpy', samples: 4 },
    { reason: 'not-instrumented', module: '/usr/bin/program', function: 'plain', samples: 3 },
    { reason: 'kernel', module: '[kernel.kallsyms]', function: 'copy_to_user', samples: 2 },
    { reason: 'recorder', module: '/x/libdprof_runtime.so', function: '__dprof_refill', samples: 1 },
  ]);
  expect(measure(data, 'references').samples).toBe(5);
});

const event = (more: Partial<SampledEvent>) => (samples: ReturnType<typeof drawSampled>) => ({
  ...samples,
  events: samples.events.map((each, index) => (index === 0 ? { ...each, ...more } : each)),
});
const LOADS = [{ what: 'struct packet.len', at: 'send drawn.c:3', from: 'memory', latency: 300, samples: 20 }] as const;

test('debug registers and page faults are no draw: no verdict', () => {
  for (const source of ['breakpoint', 'other'] as const) {
    const data = compare(RUN, event({ source, name: 'x' })(drawSampled(LOADS)));
    expect([data.verdict, data.rows.length, data.skid.judged]).toEqual(['not-comparable', 0, 20]);
    expect(renderSamplesValidation(data, { top: 20, style: STYLE }).split('\n')[0]).toBe(
      'NO VERDICT: no event is a draw of references',
    );
  }
});

test('loads of at least 30 cycles are no draw of loads, nor of misses, which the L2 serves within 14', () => {
  const of = (more: Partial<SampledEvent>) =>
    compare(RUN, event(more)(drawSampled(LOADS))).measures.map(({ verdict, reason }) => [verdict, reason]);
  const hits = 'only accesses of at least 30 cycles were drawn (ldlat), which leaves out hits';
  const refused = [
    ['not-comparable', hits],
    ['not-comparable', 'only accesses of at least 30 cycles were drawn (ldlat), which leaves out what the L2 served'],
    ['not-comparable', hits],
  ];
  expect(of({ name: 'cpu/mem-loads,ldlat=30/P' })).toEqual(refused);
  expect(of({ address: '0x1e' })).toEqual(refused);
  expect(of({ name: 'cpu/mem-loads,ldlat=3/P' }).map(([verdict]) => verdict)).toEqual([
    'differs',
    'differs',
    'differs',
  ]);
});

test('builds: the same, another, another program, not known', () => {
  const traced = { file: '/home/a/program', buildId: 'aa11' };
  const module = (file: string, buildId: string) => ({ file, buildId, isKernel: false });
  const files = { trace: 'run.dptrace', samples: 'run.dpsamples' };
  expect(
    checkProgram(traced, [module('/lib/libc.so.6', 'cc'), module('/copied/elsewhere', 'aa11')], false, files),
  ).toEqual({ identity: 'same-build', traced, sampled: { file: '/copied/elsewhere', buildId: 'aa11' } });
  expect(() => checkProgram(traced, [module('/usr/bin/program', 'bb22')], false, files)).toThrow(
    'run.dpsamples is of another build of program than run.dptrace: build id bb22, not aa11',
  );
  expect(() =>
    checkProgram(traced, [module('/usr/bin/other', 'bb22'), module('/lib/libc.so.6', 'cc')], false, files),
  ).toThrow(
    'run.dpsamples is of another program than run.dptrace: /usr/bin/other (build id bb22), not /home/a/program ' +
      '(build id aa11)',
  );
  expect(() => checkProgram(traced, [], false, files)).toThrow('no program, not /home/a/program');
  // The library has more samples.
  expect(() =>
    checkProgram(traced, [module('/lib/libc.so.6', 'cc'), module('/usr/bin/other', 'bb22')], false, files),
  ).toThrow('/usr/bin/other (build id bb22), not /home/a/program');
  // A truncated trace does not say which program it is of.
  expect(
    checkProgram({ file: '', buildId: '' }, [module('/lib/libc.so.6', 'cc'), module('/a/program', 'bb')], false, files),
  ).toEqual({
    identity: 'unknown',
    traced: { file: '/a/program', buildId: '' },
    sampled: { file: '/a/program', buildId: 'bb' },
  });
  expect(checkProgram(traced, [module('/usr/bin/program', 'bb22')], true, files)).toEqual({
    identity: 'other-build',
    traced,
    sampled: { file: '/usr/bin/program', buildId: 'bb22' },
  });
  expect(checkProgram(traced, [module('/usr/bin/other', 'bb22')], true, files).sampled).toBeNull();
  for (const [own, ids] of [
    [traced, ''],
    [{ ...traced, buildId: '' }, 'bb22'],
  ] as const)
    expect(checkProgram(own, [module('/usr/bin/program', ids)], false, files).identity).toBe('unknown');
});

test('another build: functions are told by name, whatever their module', () => {
  const samples = drawSampled([
    { what: 'struct packet.len', at: 'send drawn.c:3', samples: 40 },
    { what: 'struct table.size', at: 'send drawn.c:41', samples: 20 },
  ]);
  const renamed = { ...samples, modules: [{ ...samples.modules[0], file: '/usr/bin/plain', buildId: 'bb22' }] };
  expect(compare(RUN, renamed).counts.instrumented).toBe(0);
  expect(compare(RUN, renamed, {}, { ...SAME, identity: 'other-build', sampled: null }).counts.instrumented).toBe(60);
  expect(CODE.functions.size).toBe(2);
});

test('a union is one thing to a trace, and its members to debug information', () => {
  const samples = drawSampled([{ what: 'struct packet.len.low', at: 'send drawn.c:3', samples: 40 }], {
    types: [
      {
        ...PACKET,
        fields: [
          { path: 'len.low', offset: 0, bytes: 4 },
          { path: 'len.all', offset: 0, bytes: 8 },
        ],
      },
      TABLE,
    ],
  });
  const data = compare(RUN, samples, { by: 'field' });
  expect([data.rows[0].field, data.rows[0].samples, data.skid.line]).toEqual(['len', 40, 40]);
});

test('as text', () => {
  const data = compare(
    RUN,
    drawSampled([
      { what: 'struct packet.len', at: 'send drawn.c:3', samples: 4000 },
      { what: 'struct table.size', at: 'send drawn.c:41', samples: 2000 },
      { what: 'struct table.size', at: 'plain plain.c:9', samples: 100 },
      { what: 'struct packet.next', at: 'send drawn.c:3', samples: 7 },
    ]),
  );
  const text = renderSamplesValidation(data, { top: 20, style: STYLE });
  expect(text).toContain('AGREES: shares of loads of all 2 types are what 6,007 samples of the exact run may say');
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'samples are 6,107: 6,107 with a type. Only the 6,007 (98.4%) taken in instrumented functions can be compared ' +
      'with the trace; 6,007 of them have a type skid ',
  );
  expect(text).toMatch(/struct packet +66\.67 +66\.71 +65\.50 +67\.89 +4,007 +agrees/);
  expect(text).toMatch(/ +100 +1\.6% +plain +program +not instrumented/);
  expect(text).toMatch(/ +7 +struct packet +next +send +drawn\.c:3/);
});

test('as text: samples have types although none of them was taken in an instrumented function', () => {
  const data = compare(
    RUN,
    drawSampled([
      { what: 'struct table.size', at: 'plain plain.c:9', samples: 33 },
      { what: '', at: 'plain plain.c:10', samples: 2 },
    ]),
  );
  expect(data.counts).toEqual({ all: 35, instrumented: 0, foreign: 35, typed: 0 });
  const text = renderSamplesValidation(data, { top: 20, style: STYLE });
  expect(text).toContain(
    'samples are  35: 33 with a type. None was taken in an instrumented function, so none can be compared with the ' +
      'trace\n',
  );
  expect(text).toContain('no type      2 unknown-memory\n');
});
