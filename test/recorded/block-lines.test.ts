// Stage: test. What the prices of a program's blocks are used for besides --view blocks: lines of its source, the page
// of a report, shares of run time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { unpackBlock } from '../html/unpack.js';
import { build, FOLDER, PROGRAMS, record } from './recorded.js';

type Json = Record<string, any>;
const jsonOf = (...words: string[]): Json => JSON.parse(outputOf([...words, '--format', 'json'])) as Json;

const SOURCE = readFileSync(join(PROGRAMS, 'blocks.c'), 'utf8').split('\n');
/** The number of the line that begins so. */
const lineOf = (text: string): number => 1 + SOURCE.findIndex((line) => line.trim().startsWith(text));

let trace: string;
beforeAll(() => {
  trace = record(build('blocks.c', ['-fdprof-blocks', '-O1', '-g', '-fno-vectorize', '-fno-unroll-loops']));
});

describe('annotate --blocks', () => {
  let view: Json;
  beforeAll(() => void (view = jsonOf('annotate', trace, '--blocks')));
  const lineAt = (text: string): Json => view.rows.find(({ line }: Json) => line === lineOf(text));

  it('a line without references has the cycles of its instructions', () => {
    const { computeCycles, waitCycles, levels } = lineAt('rounds ^=');
    expect(levels).toBeUndefined();
    expect(waitCycles).toBe(0);
    expect(computeCycles).toBeGreaterThan(lineAt('return rounds').computeCycles ?? 0); // 1,000 times against once
  });

  it('a line near them has none', () => {
    expect(lineAt('#include <setjmp.h>')).toBeUndefined();
    expect(Object.keys(lineAt('static jmp_buf back'))).not.toContain('computeCycles');
  });

  it('lines add up to files, and files to the run', () => {
    for (const key of ['computeCycles', 'waitCycles']) {
      const sum = (rows: readonly Json[]): number => rows.reduce((all, row) => all + (row[key] ?? 0), 0);
      for (const file of view.files) {
        const lines = view.rows.filter((row: Json) => row.file === file.file);
        expect(Math.abs(sum(lines) - file[key])).toBeLessThanOrEqual(lines.length);
      }
      expect(sum([...view.files, view.nowhere])).toBe(view.runTime[key]);
    }
    expect(view.files.map(({ source }: Json) => source)).toEqual(['read']);
  });

  it('all other numbers are those of an annotation without', () => {
    const { rows, ...without } = jsonOf('annotate', trace);
    const { totals, nowhere } = view;
    expect(totals).toEqual(without.totals);
    expect(nowhere).toMatchObject(without.nowhere);
    for (const row of rows.filter(({ levels }: Json) => levels !== undefined))
      expect(view.rows.find(({ line }: Json) => line === row.line)).toMatchObject(row);
  });

  it('--function: lines of that one alone, of the time of the run', () => {
    const names = ['spin', 'choose', 'find', 'apply', 'last', 'leave', 'main'];
    const views = names.map((name) => jsonOf('annotate', trace, '--blocks', '--function', name));
    const spin = views[0].rows.filter(({ computeCycles }: Json) => computeCycles !== undefined);
    const lines = spin.map(({ line }: Json) => line);
    expect(lines).toContain(lineOf('rounds ^='));
    const [first, next] = [lineOf('NOINLINE unsigned spin'), lineOf('NOINLINE unsigned choose')];
    expect(lines.filter((line: number) => line < first || line >= next)).toEqual([]);
    // It makes no reference: only its code says that there is such a function.
    expect(spin.filter(({ levels }: Json) => levels !== undefined)).toEqual([]);
    expect(views[0].filter).toEqual({ function: 'spin' });
    // Each of these ran the code anew, so what it computes differs.
    for (const { runTime, files } of views) {
      expect(runTime.waitCycles).toBe(view.runTime.waitCycles);
      expect(files[0].computeCycles).toBeLessThan(runTime.computeCycles);
    }
    const waits = views.reduce((sum, { files }) => sum + files[0].waitCycles, 0);
    expect(Math.abs(waits - view.files[0].waitCycles)).toBeLessThanOrEqual(names.length);
    const text = outputOf(['annotate', trace, '--blocks', '--function', 'spin']);
    expect(text).toMatch(/│ +rounds \^= x/);
    expect(text).not.toMatch(/│ +case 2: sum \^= 7/);
  });

  it('--function of none that there is: refused', async () => {
    const { status, stderr } = await runDprof(['annotate', trace, '--blocks', '--function', 'spinn']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/no function in this profile is named 'spinn'/)]);
  });

  it('text begins with them', () => {
    const text = outputOf(['annotate', trace, '--blocks']);
    expect(text).toMatch(/^of time +compute +wait +est\. cycles .*│ source$/m);
    expect(text).toMatch(/^ +\d+\.\d% +[\d,]+ +0 +\d+ │ +rounds \^= x/m);
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/of time: of about [\d,]+ cycles of the run\./);
  });

  it.each([
    [['--type', 'int'], /--blocks is for source, and --type shows a type/],
    [['--schedules', '3'], /--blocks is of a run under one schedule/],
  ])('%s: refused', async (words, message) => {
    const { status, stdout, stderr } = await runDprof(['annotate', trace, '--blocks', ...words]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});

/** As it is embedded in a page. */
function viewOf(path: string, key: string): Json {
  const page = readFileSync(path, 'utf8');
  const { views } = JSON.parse(unpackBlock(page, 'contents')[0]);
  const index = views.findIndex((view: Json) => view.key === key);
  return JSON.parse(unpackBlock(page, `view-${index}`).join(''));
}

describe('html --blocks', () => {
  it('the page has the rows of --view blocks', async () => {
    const path = join(FOLDER, 'blocks.html');
    outputOf(['html', trace, '--blocks', '-o', path]);
    // Those with a thousandth of the instructions, however long they took.
    const counted = ({ rows, code }: Json): string[] =>
      rows
        .filter((row: Json) => row.executions * row.instructions >= code.instructions / 1000)
        .map(({ symbol, address, executions }: Json) => `${symbol} ${address} ${executions}`)
        .sort();
    const embedded = viewOf(path, 'blocks');
    expect(counted(embedded)).not.toEqual([]);
    expect(counted(embedded)).toEqual(counted(jsonOf('report', trace, '--view', 'blocks')));
    const parts = embedded.rows.flatMap((row: Json) => (row.parts.length > 0 ? row.parts : [row]));
    for (const { assembly, instructions } of parts) expect(assembly).toHaveLength(instructions);
  });

  it('the source page has the time of lines, as annotate has it', () => {
    const path = join(FOLDER, 'lines.html');
    outputOf(['html', trace, '--blocks', '-o', path]);
    const view = viewOf(path, 'annotated-source');
    const { rows, files, runTime } = jsonOf('annotate', trace, '--blocks');
    const waits = (of: readonly Json[]): unknown => of.map(({ line, waitCycles }) => [line, waitCycles]);
    expect(waits(view.rows)).toEqual(waits(rows));
    expect(waits(view.files)).toEqual(waits(files));
    expect(view.runTime.waitCycles).toBe(runTime.waitCycles);
    const ran = view.rows.find(({ line }: Json) => line === lineOf('rounds ^='));
    expect(ran.computeCycles).toBeGreaterThan(0);
  });

  const cyclesAt = (...words: string[]): number =>
    jsonOf('report', trace, '--view', 'functions', ...words).totals.runCycles;

  it('--cpi: the time of functions and types is that of report --cpi', () => {
    const path = join(FOLDER, 'cpi.html');
    const totalsOf = (...words: string[]): Json[] => {
      outputOf(['html', trace, '-o', path, ...words]);
      return ['functions', 'data-profile'].map((view) => viewOf(path, view).totals);
    };
    for (const totals of totalsOf('--cpi', '2'))
      expect(totals).toMatchObject({ cpi: 2, isCpiMeasured: false, runCycles: cyclesAt('--cpi', '2') });
    for (const totals of totalsOf()) expect(totals).toMatchObject({ isCpiMeasured: false, runCycles: cyclesAt() });
    for (const { isCpiMeasured, runCycles, cpi } of totalsOf('--cpi', 'measured')) {
      expect(isCpiMeasured).toBe(true);
      expect(runCycles).toBe(cyclesAt('--cpi', String(cpi)));
    }
  });

  it('--cpi none: refused', async () => {
    const { status, stderr } = await runDprof(['html', trace, '--cpi', 'none', '-o', join(FOLDER, 'none.html')]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--cpi: 'none' is no number of cycles up to 100/)]);
  });

  it.each(['html', 'annotate'])('%s: a profile has no machine code', async (command) => {
    const profile = join(FOLDER, 'blocks.dprofile');
    outputOf(['replay', trace, '-o', profile]);
    const page = join(FOLDER, 'none.html');
    const words = command === 'html' ? ['-o', page] : [];
    const { status, stderr } = await runDprof([command, profile, '--blocks', ...words]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/is a profile, which was replayed already\n.*name the trace/);
  });
});

describe('report --cpi', () => {
  const runTimeOf = (...words: string[]): Json => jsonOf('report', trace, '--view', 'functions', ...words).totals;

  it('a number counts each instruction so', () => {
    const { instructions } = jsonOf('report', trace).totals;
    const [usual, dear] = [runTimeOf(), runTimeOf('--cpi', '2')];
    expect([usual.isCpiMeasured, dear.isCpiMeasured, dear.cpi]).toEqual([false, false, 2]);
    expect(Math.abs(dear.runCycles - usual.runCycles - (2 - usual.cpi) * instructions)).toBeLessThanOrEqual(1);
  });

  it('measured: what the blocks took', () => {
    const { instructions } = jsonOf('report', trace).totals;
    const [usual, measured] = [runTimeOf(), runTimeOf('--cpi', 'measured')];
    expect(measured.isCpiMeasured).toBe(true);
    expect(measured.cpi).toBeGreaterThan(0);
    expect(
      Math.abs(measured.runCycles - usual.runCycles - (measured.cpi - usual.cpi) * instructions),
    ).toBeLessThanOrEqual(1);
    const text = outputOf(['report', trace, '--cpi', 'measured']).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/estimated time: [\d.]+ cycles an instruction, as its blocks ran here, and what misses add/);
  });

  it('measured: each function has what its code took, those without references too', () => {
    const { rows, totals } = jsonOf('report', trace, '--view', 'functions', '--cpi', 'measured');
    const names = ['apply', 'choose', 'find', 'last', 'leave', 'main', 'spin'];
    expect(rows.map((row: Json) => row.function).sort()).toEqual(names);
    const sum = rows.reduce((all: number, { runCycles }: Json) => all + runCycles, 0);
    expect(Math.abs(sum - totals.runCycles)).toBeLessThanOrEqual(names.length);
    const timeOf = (name: string): number => rows.find((row: Json) => row.function === name).runCycles;
    expect(timeOf('spin')).toBeGreaterThan(timeOf('leave')); // 1,000 iterations against 9 calls
    // By references alone these have no time.
    const usual = jsonOf('report', trace, '--view', 'functions').rows.map((row: Json) => row.function);
    expect(usual.sort()).toEqual(['choose', 'find', 'last', 'main']);
  });

  it.each([
    [['--view', 'locks', '--cpi', '1'], /--cpi is not for locks, which estimates no run time/],
    [['--cpi', 'none'], /--cpi: 'none' is no number of cycles up to 100/],
  ])('%s: refused', async (words, message) => {
    const { status, stdout, stderr } = await runDprof(['report', trace, ...words]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
