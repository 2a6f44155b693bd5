// Stage: test. Commands on files of samples, and on histories that debug registers really took.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawTypedSamples, NO_LIVES } from '../drawn-samples.js';
import { DPROF, dprof, run } from '../../cli/command-line.js';
import { build, folder, REGISTERS_ARE_DENIED } from '../histories/history-programs.js';
import { SamplesWriter } from '../../../src/hardware/samples/samples-writer.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { readHistories } from '../../../src/hardware/histories/histories-reader.js';
import { packetSamples } from './sampled-fixture.js';

function save(name: string, typed: TypedSamples | undefined): string {
  const pieces: Buffer[] = [];
  const { run: facts, events, lost, names, changes: threads } = typed ?? packetSamples();
  new SamplesWriter({ write: (bytes: Buffer) => void pieces.push(Buffer.from(bytes)) }).finish(
    { run: facts, events: typed === undefined ? [] : events, lost, names, threads, mappings: [] },
    typed,
  );
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

const samples = save('X.dpsamples', packetSamples());

test('report: every table is marked, each number has its interval', () => {
  const { status, stdout, stderr } = dprof('report', samples, '--view', 'all');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(
    'SAMPLED      145 samples: 120 of mem-loads (pebs), one in 20,000; 25 of mem-stores (pebs), one in 50,000; ' +
      '16 without type (11.0%); every number is an estimate, ± is its 95 % interval\n',
  );
  expect(
    stdout
      .match(/^\S.*: .*$|^.*SAMPLED: .*$/gm)!
      .filter((line) => line.includes('SAMPLED:'))
      .map((line) => line.split(',')[0]),
  ).toEqual(['data profile', 'miss classification', 'functions', 'address set', 'working set']);
  expect(stdout).toMatch(
    /^struct packet +~800k ±31% +~90\.9% -12\.1\+5\.5 +~26\.7% ±9\.4 +~3\.25M ±19% +~800k ±31% +- +~800k ±31% +~122 ±29 +d +2 +96 B +bounce$/m,
  );
  expect(stdout).toMatch(/^struct other +~80\.0k -73\+156% +~9\.1% -5\.5\+12\.1/m);
});

test(
  'samples that say neither load nor level, as those of debug registers: every table, and no number of ' + 'misses',
  () => {
    const typed = packetSamples();
    const path = save('registers.dpsamples', {
      ...typed,
      events: typed.events.map((event) => ({ ...event, name: 'mem:0x5000/8:rw', source: 'breakpoint' as const })),
      rows: {
        ...typed.rows,
        dataSource: typed.rows.dataSource.map(() => 0n),
        weight: typed.rows.weight.map(() => 0n),
        weightSquares: typed.rows.weightSquares.map(() => 0),
      },
    });
    const { status, stdout, stderr } = dprof('report', path, '--view', 'all');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^totals +- loads, - stores, ~3\.65M of neither kind that is known in \d\.\d\d s of 2 threads$/m,
    );
    expect(stdout).toMatch(/^misses +L1 -, L2 -, LLC - of ~3\.65M ±18% references$/m);
  },
);

test.each([80, 100, 160])('tables fit %d columns', (width) => {
  const { stdout } = run('env', `COLUMNS=${width}`, DPROF, 'report', samples, '--view', 'all');
  expect(stdout.split('\n').filter((line) => line.length > width)).toEqual([]);
});

test.each([[[]], [['--view', 'all']], [['--view', 'miss-classification', '--by', 'object']]])(
  'samples that say no level, as those of debug registers: report %j',
  (flags) => {
    const typed = drawTypedSamples({
      types: [
        {
          name: 'struct packet',
          bytes: 64,
          fields: [{ path: 'lock', offset: 0, bytes: 4 }],
          lives: { ...NO_LIVES, allocations: 1 },
        },
      ],
      rows: [{ what: 'struct packet.lock', at: 'take net.c:4', from: 'unknown', samples: 40 }],
      objects: [{ type: 'struct packet', address: 0x5000, born: 1000, at: 'make net.c:1', samples: 40 }],
    });
    typed.rows.dataSource.fill(0n);
    const events = typed.events.map((event, index) => ({
      ...event,
      name: `mem:0x500${8 * index}/8:rw`,
      source: 'breakpoint' as const,
    }));
    const { status, stdout, stderr } = dprof('report', save('no-level.dpsamples', { ...typed, events }), ...flags);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('\nmisses       L1 -, L2 -, LLC - of ~800k ±31% references\n');
  },
);

test('csv: a column for each bound, the same in every row', () => {
  const [head, ...rows] = dprof('report', samples, '--format', 'csv')
    .stdout.trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const cell = (row: number, name: string): string => rows[row][head.indexOf(name)];
  expect(rows.map((row) => row.length)).toEqual([head.length, head.length, head.length]);
  expect([cell(0, 'type'), cell(0, 'misses.l1.loads'), cell(0, 'misses.l1.stores')]).toEqual([
    'struct packet',
    '800000',
    '',
  ]);
  expect(
    [cell(0, 'intervals.misses.l1.loads.low'), cell(0, 'intervals.misses.l1.loads.high')].map(Number).map(Math.round),
  ).toEqual([552_082, 1_047_918]);
});

test('replay writes a profile; report, html, export and diff work from it as from the samples', () => {
  const profile = join(folder, 'P.dprofile');
  expect(dprof('replay', samples, '-o', profile)).toEqual({ status: 0, stdout: '', stderr: '' });
  for (const view of ['data-profile', 'working-set']) {
    const [of, from] = [profile, samples].map((file) =>
      JSON.parse(dprof('report', file, '--view', view, '--format', 'json').stdout),
    );
    expect([of.rows, of.totals]).toEqual([from.rows, from.totals]);
  }
  const page = join(folder, 'page.html');
  expect(dprof('html', profile, '-o', page)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readFileSync(page, 'utf8').length).toBeGreaterThan(100_000);
  for (const to of ['callgrind', 'pprof', 'parquet'])
    expect([to, dprof('export', profile, '--to', to, '-o', join(folder, to)).stderr]).toEqual([to, '']);
  const diff = JSON.parse(dprof('diff', samples, profile, '--format', 'json').stdout);
  expect(diff.before.sampled.samples).toBe(145);
  // No change, and by chance one of up to 1.96 sqrt(2 * 40) 20,000.
  expect(diff.rows.find(({ type }: any) => type === 'struct packet')).toMatchObject({
    levels: { l1: { misses: { change: 0 } } },
    intervals: { l1Misses: [expect.closeTo(-350_609, 0), expect.closeTo(350_609, 0)] },
  });
});

test.each([
  [['report', samples, '--view', 'path-traces'], 1, 'samples alone have no paths, so no path-traces'],
  [['report', samples, '--view', 'locks'], 1, 'samples say nothing of locks'],
  [
    ['report', samples, '--schedule', 'recorded'],
    2,
    `--schedule does nothing for ${samples}: samples are not replayed`,
  ],
  [['report', samples, '--from', '5'], 2, `--from does nothing for ${samples}: samples are not replayed`],
  [['annotate', samples], 1, `${samples} is of samples, and an annotation says its numbers without intervals`],
  [
    ['merge', join(folder, 'P.dprofile'), join(folder, 'P.dprofile'), '-o', join(folder, 'M.dprofile')],
    1,
    `${join(folder, 'P.dprofile')} is a profile from samples, and its intervals cannot be added`,
  ],
  [
    ['report', save('addresses.dpsamples', undefined)],
    1,
    `${join(folder, 'addresses.dpsamples')} has addresses, and no types: dprof import knows none`,
  ],
  [['report', samples, DPROF], 2, `${DPROF} is neither samples nor histories, and only those go together`],
] as const)('refused in one line: %j', (words, status, message) => {
  const outcome = dprof(...words);
  expect([outcome.status, outcome.stderr.split('\n')[0], outcome.stdout]).toEqual([status, `dprof: ${message}`, '']);
});

test('samples that are damaged at any place: a result or one typed error', () => {
  const whole = readFileSync(samples);
  const path = join(folder, 'damaged.dpsamples');
  for (let at = 0; at < 12; at++) {
    const damaged = Buffer.from(whole);
    damaged[Math.floor((at * whole.length) / 12)] ^= 0x41;
    writeFileSync(path, at === 11 ? whole.subarray(0, whole.length / 2) : damaged);
    const { status, stderr } = dprof('report', path);
    expect([0, 1]).toContain(status);
    if (status === 1) expect(stderr).toMatch(/^dprof: .*(expected .*, found|cannot read|neither).*\nhint: .*\n$/);
  }
});

test.skipIf(REGISTERS_ARE_DENIED)(
  'samples and histories of a program, live: paths as the histories have them, each step with what samples say',
  () => {
    const program = build('packets.c');
    const file = join(folder, 'Y.dphistories');
    expect(
      run(
        DPROF,
        'history',
        '--quiet',
        '-o',
        file,
        '--type',
        'struct packet',
        '--one-in',
        '1',
        '--',
        program,
        '6',
        'plain',
      ).status,
    ).toBe(0);
    const { places, types, elements } = readHistories(file);
    const at = (name: string): string => {
      const place = places.get(elements.ip.find((ip) => places.get(ip)?.function === name)!)!;
      return `${name} ${place.file}:${place.line}`;
    };
    const typed = drawTypedSamples({
      types: [
        {
          name: 'struct packet',
          bytes: 32,
          fields: types[0].fields,
          lives: {
            ...NO_LIVES,
            allocations: 6,
            frees: 6,
            peakObjects: 1,
            peakBytes: 32,
            averageObjects: 0.5,
            averageBytes: 16,
            lifetimeNs: 5e8,
          },
        },
      ],
      rows: [
        { what: 'struct packet.length', at: at('fill'), op: 'store', samples: 20 },
        { what: 'struct packet.length', at: at('look'), from: 'other-cache', cpu: 1, samples: 15, latency: 180 },
        { what: 'struct packet.length', at: at('look'), from: 'L1', cpu: 1, samples: 30, latency: 4 },
      ],
      objects: [{ type: 'struct packet', address: 0x4000, born: 2000, died: 9000, at: at('fill') }],
    });
    const both = save('Z.dpsamples', { ...typed, run: { ...typed.run, command: [program] } });
    const { rows } = JSON.parse(dprof('report', both, file, '--view', 'path-traces', '--format', 'json').stdout);
    expect(
      rows.map(({ frequency, histories, ofHistories, end }: any) => [frequency, histories, ofHistories, end]),
    ).toEqual([[6, 6, 6, 'freed']]);
    expect(
      rows[0].steps.map(({ function: name, coreChange, references, hit }: any) => [
        name,
        coreChange,
        references,
        hit?.cache ?? null,
      ]),
    ).toEqual([
      ['fill', false, 18, 0],
      ['look', true, 36, expect.closeTo(1 / 3, 9)],
      ['close_packet', true, 6, null],
    ]);
    const classes = JSON.parse(
      dprof('report', both, file, '--view', 'miss-classification', '--format', 'json').stdout,
    ).rows.find(({ field }: any) => field === 'length').levels.l1;
    // The first of three looks at what fill stored is an invalidation; close_packet, which no sample met, may have
    // stored between the others, once.
    expect(classes).toMatchObject({
      misses: 300_000,
      classes: { 'true-sharing': expect.closeTo(100_000, 6), capacity: expect.closeTo(100_000, 6) },
      unclassified: expect.closeTo(100_000, 6),
    });
  },
);
