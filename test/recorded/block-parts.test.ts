// Stage: test. How often machine blocks ran in a part of a trace, and in several processes: as the program's source
// says, by both engines.
import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { build, FOLDER, record } from './recorded.js';

const FLAGS = ['-fdprof-blocks', '-O1', '-g', '-fno-vectorize', '-fno-unroll-loops'];
type Json = Record<string, any>;
const ENGINES = ['native', 'ts'];

const blocksOf = (...words: string[]): Json =>
  JSON.parse(outputOf(['report', ...words, '--view', 'blocks', '--format', 'json'])) as Json;

/** How often the function's blocks on a line ran. */
function ran({ rows }: Json, name: string): [line: number, executions: number][] {
  const blocks = rows.flatMap((row: Json) => (row.parts.length > 0 ? row.parts : [row]).map((one: Json) => [row, one]));
  return blocks
    .filter(([row]: [Json]) => row.function === name)
    .map(([, { site, executions, executionsAtMost }]: [Json, Json]) => {
      expect(executionsAtMost).toBe(executions);
      return [Number(site.split(':')[1]), executions] as [number, number];
    })
    .sort(([line, times]: [number, number], [other, more]: [number, number]) => line - other || more - times);
}

/** Iterations of the loops of `mix` and `add_up`. */
const iterations = ({ rows }: Json): [number, number] => {
  const of = (name: string): number =>
    rows.find((row: Json) => row.function === name && row.isLoop && row.executionsAtMost === row.executions).executions;
  return [of('mix'), of('add_up')];
};

let program: string;
beforeAll(() => void (program = build('block-parts.c', FLAGS)));

/** L1 misses of a function: what its blocks have of them, and what it has in the code profile. */
function misses(name: string, ...words: string[]): [blocks: number, function: number] {
  const { rows } = JSON.parse(outputOf(['report', ...words, '--view', 'functions', '--format', 'json'])) as Json;
  const own = blocksOf(...words).rows.filter((row: Json) => row.function === name);
  return [
    own.reduce((sum: number, { executions, misses: { l1 } }: Json) => sum + executions * l1, 0),
    rows.find((row: Json) => row.function === name).levels.l1.misses,
  ];
}

const recorded = new Map<string, readonly string[]>();
/** All traces of the run: the first process's, and those of others. */
function traced(...words: string[]): readonly string[] {
  const known = recorded.get(words.join(' ')) ?? recordAll(words);
  recorded.set(words.join(' '), known);
  return known;
}

function recordAll(words: readonly string[]): string[] {
  const folder = mkdtempSync(join(FOLDER, 'parts-'));
  const own = join(folder, basename(program));
  copyFileSync(program, own);
  const trace = record(own, words);
  return readdirSync(folder)
    .filter((name) => /\.dptrace(\.\d+)*$/.test(name))
    .sort()
    .map((name) => join(dirname(trace), name));
}

const WINDOW = ['--from', 'mark:begin', '--to', 'mark:end'];

describe.each(ENGINES)('a window, %s', (engine) => {
  it('loops between two marks', () => {
    const [trace] = traced('marks');
    expect(iterations(blocksOf(trace, '--engine', engine))).toEqual([3150, 3150]);
    expect(iterations(blocksOf(trace, '--engine', engine, ...WINDOW))).toEqual([3000, 3000]);
    expect(iterations(blocksOf(trace, '--engine', engine, '--to', 'mark:begin'))).toEqual([100, 100]);
    expect(iterations(blocksOf(trace, '--engine', engine, '--from', 'mark:end'))).toEqual([50, 50]);
  });

  it('misses are those in the window', () => {
    const [trace] = traced('marks');
    const [own, all] = misses('add_up', trace, '--engine', engine, ...WINDOW);
    expect(all).toBeGreaterThan(100); // lines of what nobody touched before
    expect(own).toBeCloseTo(all, 6);
    expect(misses('add_up', trace, '--engine', engine, '--from', 'mark:end')[1]).toBe(0);
  });

  it('marks in the middle of the loop that is counted', () => {
    const [trace] = traced('within');
    const view = blocksOf(trace, '--engine', engine, ...WINDOW);
    // Behind the first mark, the rest of the 4th iteration; 6 whole ones; of the next one what comes before the second.
    expect(ran(view, 'within')).toEqual([
      [43, 7],
      [44, 8],
      [44, 1],
      [45, 7],
    ]);
  });

  it('threads', () => {
    const [trace] = traced('threads');
    for (const schedule of ['logical', 'recorded', 'random:3'])
      expect(iterations(blocksOf(trace, '--engine', engine, '--schedule', schedule, ...WINDOW))).toEqual([1500, 1500]);
  });

  it.each(engine === 'ts' ? ['threads'] : ['marks', 'within', 'threads', 'children'])('%s: pieces add up', (part) => {
    const [trace] = traced(part);
    const { code: whole, totals } = blocksOf(trace, '--engine', engine);
    const at = [0.3, 0.8].map((share) => String(Math.floor(share * totals.references)));
    const borders = [[], ...at.map((place) => [place])].map((from, index) => [
      ...from.flatMap((place) => ['--from', place]),
      ...(index < at.length ? ['--to', at[index]] : []),
    ]);
    const pieces = borders.map((border) => blocksOf(trace, '--engine', engine, ...border).code);
    for (const key of ['instructions', 'recorded', 'countedRecorded'])
      expect([key, pieces.reduce((sum, piece) => sum + piece[key], 0)]).toEqual([key, whole[key]]);
    expect(whole.uncountedInstructions).toBe(0);
    for (const { uncountedInstructions } of pieces) expect(uncountedInstructions).toBe(0);
  });
});

describe('several processes', () => {
  it.each(ENGINES)('parent and child of a fork, %s', (engine) => {
    const both = traced('children');
    expect(both).toHaveLength(2);
    const view = blocksOf(...both, '--engine', engine);
    expect(iterations(view)).toEqual([1110, 1110]);
    const [parent, child] = both.map((trace) => blocksOf(trace, '--engine', engine));
    expect([iterations(parent), iterations(child)]).toEqual([
      [110, 110],
      [1000, 1000],
    ]);
    const [own, all] = misses('add_up', ...both, '--engine', engine);
    expect(own).toBeCloseTo(all, 6);
    expect(view.code.instructions).toBe(parent.code.instructions + child.code.instructions);
    expect(new Set(view.rows.map(({ module }: Json) => basename(module)))).toEqual(new Set([basename(program)]));
  });

  it('a program that another one runs has rows of its own', () => {
    const other = build('block-names.cc', FLAGS);
    const view = blocksOf(...traced('exec', other));
    expect(iterations(view)).toEqual([20, 20]);
    const modules = new Map(view.rows.map(({ symbol, module }: Json) => [symbol, basename(module)]));
    expect(modules.get('_ZNK4shop6BasketIlE5totalEi')).toBe(basename(other));
    expect(modules.get('mix')).toBe(basename(program));
  });

  it('programs that load one library: its blocks ran as often as in both together', () => {
    const library = build('block-library.c', [...FLAGS, '-shared', '-fPIC']);
    const words = [`./${basename(library)}`, dirname(library)];
    const traces = ['-O1', '-O0'].map((level) => record(build('block-loader.c', [...FLAGS, level]), words));
    const view = blocksOf(...traces);
    const loops = view.rows.filter((row: Json) => row.function === 'add_up' && row.isLoop);
    expect(loops).toMatchObject([{ executions: 2 * 6400, executionsAtMost: 2 * 6400, module: library }]);
    const alone = traces.map((trace) => blocksOf(trace));
    for (const key of ['instructions', 'recorded'])
      expect(view.code[key]).toBe(alone.reduce((sum, { code }) => sum + code[key], 0));
  });
});

it('lines and the time of an instruction are of the window, too', () => {
  const [trace] = traced('marks');
  const lines = (...words: string[]): Json =>
    JSON.parse(outputOf(['annotate', trace, '--blocks', '--format', 'json', ...words])) as Json;
  const computed = ({ rows }: Json): number => rows.find(({ line }: Json) => line === 21).computeCycles;
  expect(lines(...WINDOW).window.from.asked).toBe('mark:begin');
  expect(computed(lines('--from', 'mark:end'))).toBeLessThan(computed(lines(...WINDOW)));
});

it.each([
  [['--from', 'mark:none'], /the trace has no mark "none"/],
  [['--from', 'mark:end', '--to', 'mark:begin'], /the window ends before it begins/],
  [['--from', '9M'], /lies behind the end of the trace/],
])('%s: refused', (words, message) => {
  const [trace] = traced('marks');
  const { status, stdout, stderr } = runDprof(['report', trace, '--view', 'blocks', ...words]);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
});

describe.each(['-O0', '-O2'])('%s: what an exception or a longjmp leaves in its middle', (level) => {
  let trace: string;
  beforeAll(() => void (trace = record(build('block-jumps.cc', [...FLAGS, level]))));
  const times = (name: string): number[] => [...new Set(ran(view, name).map(([, executions]) => executions))];
  let view: Json;
  beforeAll(() => void (view = blocksOf(trace)));

  it('every block is counted', () => {
    expect(view.code).toMatchObject({ uncountedBlocks: 0, uncountedInstructions: 0 });
  });

  it.each([
    ['middle', [300, 200]], // every third call throws
    ['guarded', [300, 200, 100]], // and is cleaned up after
    ['may_throw', [300, 200, 100]],
    ['leave', [200, 160]], // every fifth call jumps
    ['jumps', [200, 40]], // and begins the loop anew
  ])('%s: %j', (name, wanted) => {
    expect(times(name)).toEqual(expect.arrayContaining(wanted));
  });

  it('no block of the loop runs more often than its head', () => {
    expect(Math.max(...times('loop'))).toBeLessThanOrEqual(301);
    expect(Math.max(...times('jumps'))).toBeLessThanOrEqual(241); // 200 iterations, 40 jumps, and once out
  });
});
