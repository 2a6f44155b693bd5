// Stage: test. Views show the frame of the program's own code: arrays by where they are allocated and who receives
// them, accessors by who called them; the rest of the path is beside it.
import { describe, expect, it } from 'vitest';
import { briefSite } from '../../src/views/sites.js';
import { outputOf } from '../cli/command-client.js';
import { build, record, report } from './recorded.js';

interface Framed {
  readonly function: string;
  readonly site: string;
}

const spell = (frames: readonly Framed[]): string[] =>
  frames.map(({ function: name, site }) => `${name} ${briefSite(site)}`);

/** Rows of arrays: who receives them, and where. */
function arrays(trace: string, ...words: string[]): string[] {
  return report(trace, 'data-profile', ...words)
    .rows.filter(({ site, references }) => site !== null && references.stores > 0)
    .map(({ receiver, site }) => `${receiver} ${briefSite(site)}`)
    .sort();
}

describe.each(['-O0', '-O2'])('at %s', (level) => {
  const trace = record(build('grid.c', [level, '-fno-vectorize']));

  it('has a row for each place that allocates an array, with what receives it', () => {
    const expected = ['cells grid.c:19', 'rows grid.c:35', 'u grid.c:32', 'v grid.c:33'];
    expect(arrays(trace)).toEqual(expected);
    expect(arrays(trace, '--engine', 'ts')).toEqual(expected);
  });

  it('gives rows by site, whose misses are those of the run, with their call paths', () => {
    const { rows } = report(trace, 'miss-classification', '--by', 'site');
    const own = rows.filter(({ receiver }) => receiver !== null && receiver !== 'items');
    expect(
      own.map((row) => `${row.receiver} ${row.objects} ${row.bytes} ${spell(row.callPath).join(' < ')}`).sort(),
    ).toEqual([
      'cells 1 32768 setup grid.c:19 < main grid.c:31',
      'rows 1 32768 main grid.c:35',
      'u 1 32768 xmalloc grid.c:12 < main grid.c:32',
      'v 1 32768 xmalloc grid.c:12 < main grid.c:33',
    ]);
    const missesOf = (all: typeof rows): number => all.reduce((sum, row) => sum + row.levels.l1.misses, 0);
    expect(missesOf(rows)).toBe(missesOf(report(trace, 'miss-classification', '--by', 'core').rows));
  });

  it('takes the name of a row of one site for --type, in views whose rows are others too', () => {
    const rows = report(trace, 'data-profile').rows.filter(({ receiver }) => receiver !== null);
    expect(rows.length).toBe(4);
    for (const { type, receiver, site, misses } of rows) {
      const name = `${type.replace(/@.*/, '')} ${receiver} (${briefSite(site)})`;
      expect(arrays(trace, '--type', name)).toEqual([`${receiver} ${briefSite(site)}`]);
      const lines = report(trace, 'miss-classification', '--by', 'line', '--type', name).rows;
      expect(lines.reduce((sum, row) => sum + row.levels.l1.misses, 0)).toBe(misses.l1.loads + misses.l1.stores);
      expect(() => report(trace, 'data-profile', '--type', name.replace(':', ':9'))).toThrow(/no type in this profile/);
    }
  });

  it('takes a library for no code of the program', () => {
    const { rows } = report(trace, 'miss-classification', '--by', 'site', '--library', 'setup');
    const [cells] = rows.filter(({ callPath }) => callPath[0]?.function === 'setup');
    expect([cells.function, briefSite(cells.site)]).toEqual(['main', 'grid.c:31']);
  });
});

/** The lines of a text report below the row that begins so, as far as they are indented as call paths. */
function pathsBelow(trace: string, view: string, row: string, ...words: string[]): string[] {
  const lines = outputOf(['report', trace, '--view', view, '--call-path', ...words]).split('\n');
  const at = lines.findIndex((line) => line.startsWith(row));
  expect(at).toBeGreaterThan(0);
  const below = lines.slice(at + 1);
  return below.slice(
    0,
    below.findIndex((line) => !line.startsWith('    ')),
  );
}

it('has call paths in the text of every view that has sites, with --call-path', () => {
  const trace = record(build('grid.c', ['-O2', '-fno-vectorize']));
  for (const view of ['data-profile', 'miss-classification'])
    expect(pathsBelow(trace, view, 'double[] u (grid.c:32)')).toEqual([
      '    allocated  grid.c:12 xmalloc',
      '               grid.c:32 main',
      '    most at    grid.c:37 main',
    ]);
  const chain = ['    512 L1 misses in grid_alloc.h:5 value_of < grid.c:24 sum'];
  expect(pathsBelow(trace, 'functions', 'sum ')).toEqual(chain);
  expect(pathsBelow(trace, 'miss-classification', 'sum ', '--by', 'function')).toEqual(chain);
  expect(pathsBelow(trace, 'miss-classification', 'double[]', '--by', 'site')).toEqual([
    '    allocated  grid.c:12 xmalloc',
    '               grid.c:32 main',
  ]);
});

it('says at which line most of a row is, outside libraries', () => {
  const trace = record(build('grid.c', ['-O2', '-fno-vectorize']));
  const [row] = report(trace, 'data-profile', '--type', 'struct item', '--library', 'main').rows;
  const { site, function: name, misses, callPath } = row.mostMissesAt;
  // The other line of it is a library's, and has no frame outside.
  expect([briefSite(site), name, misses, spell(callPath)]).toEqual(['grid.c:37', 'main', 513, ['main grid.c:37']]);
  const cost = row.mostMissesAt.cycles / row.missLatencyCycles;
  expect(row.mostMissesAt.share).toBeCloseTo(cost, 12);
});

it('charges who called an accessor, and names the accessor on demand', () => {
  const trace = record(build('grid.c', ['-O2', '-fno-vectorize']));
  const lines = report(trace, 'miss-classification', '--by', 'line');
  const called = lines.rows.find(({ function: name }) => name === 'sum');
  expect([briefSite(called?.line), spell(called?.inlined ?? [])]).toEqual(['grid.c:24', ['value_of grid_alloc.h:5']]);
  const innermost = report(trace, 'miss-classification', '--by', 'function', '--innermost').rows;
  expect(innermost.map((row) => row.function)).toContain('value_of');
  expect(report(trace, 'functions').rows.map((row) => row.function)).not.toContain('value_of');
});
