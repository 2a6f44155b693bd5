// Stage: test. How often machine blocks ran, by both engines: as often as the program's source says.
import { beforeAll, describe, expect, it } from 'vitest';
import { countBlocks, type CountedBlock } from '../../src/blocks/block-executions.js';
import { countExecutions, type RecordExecutions } from '../../src/blocks/record-executions.js';
import { loadedFiles } from '../../src/blocks/loaded-files.js';
import { readCode } from '../../src/cli/code-blocks.js';
import { resolveMachine } from '../../src/machine/parse-machine.js';
import { openTrace, replayInput, type OpenedTrace } from '../../src/replay/open-trace.js';
import { outputOf, runDprof } from '../cli/command-client.js';
import { build, record, report } from './recorded.js';

/** From functions to their plain bodies. */
function bodiesOf({ modules, catalog }: OpenedTrace, counted: RecordExecutions): Map<string, CountedBlock[] | null> {
  return new Map(
    loadedFiles(modules).flatMap(({ path, units }) =>
      (readCode(path) ?? []).map((code) => [code.name, countBlocks(code, units, counted, catalog.records)] as const),
    ),
  );
}

const executed = (blocks: CountedBlock[] | null | undefined): number[] =>
  (blocks ?? []).map(({ executions }) => executions ?? NaN).sort((a, b) => a - b);

describe.each([['-O0'], ['-O1'], ['-O2'], ['-O0', '-fstack-protector-all']])('%s %s', (...flags) => {
  let trace: OpenedTrace;
  let counted: RecordExecutions;
  let bodies: Map<string, CountedBlock[] | null>;
  beforeAll(async () => {
    trace = openTrace(
      record(build('blocks.c', ['-fdprof-blocks', ...flags, '-g', '-fno-vectorize', '-fno-unroll-loops'])),
    );
    const input = replayInput(trace, resolveMachine({}, 1), { kind: 'logical' });
    counted = await countExecutions(input, 'native');
    bodies = bodiesOf(trace, counted);
    const specification = await countExecutions(input, 'ts');
    expect(specification.made).toEqual(counted.made);
    expect(specification.next).toEqual(counted.next);
  });

  it('every block of every function is counted', () => {
    for (const [name, blocks] of bodies)
      expect([name, blocks?.filter(({ executions }) => executions === null)]).toEqual([name, []]);
    expect([...bodies.keys()]).toEqual(expect.arrayContaining(['spin', 'choose', 'find', 'leave', 'main']));
  });

  it('a loop without a reference', () => {
    expect(executed(bodies.get('spin'))).toContain(1000);
  });

  it('the cases of a jump table', () => {
    const own = executed(bodies.get('choose'));
    expect(own).toContain(700);
    expect(own.filter((count) => count === 100).length).toBeGreaterThanOrEqual(6);
  });

  it('a function that begins in a loop has the way into it, too', () => {
    expect(executed(bodies.get('last'))).toContain(4 * 30);
  });

  it('what is before the choice between the bodies is part of the plain one, the choice is not', () => {
    const code = readCode(trace.modules[0].path)!;
    for (const [name, blocks] of bodies) {
      const { blocks: own } = code.find((one) => one.name === name)!;
      const chooser = own.find(({ otherBody }) => otherBody !== 0)!;
      if (chooser.instructions > 0) expect([name, blocks![0].address]).toEqual([name, own[0].address]);
      expect([name, blocks!.some(({ instructions }) => instructions === 0)]).toEqual([name, false]);
    }
    expect(bodies.get('last')![0].executions).toBe(4);
  });

  it('a loop that is left early, and what is behind a longjmp', () => {
    expect(executed(bodies.get('find'))).toContain(1275);
    expect(executed(bodies.get('leave'))).toEqual(expect.arrayContaining([3, 6, 9]));
  });
});

it('-fdprof-blocks changes no number of a report', () => {
  const plain = record(build('blocks.c', ['-O1', '-g']));
  const counted = record(build('blocks.c', ['-O1', '-g', '-fdprof-blocks']));
  for (const view of ['data-profile', 'functions', 'miss-classification'])
    expect(report(counted, view).rows).toEqual(report(plain, view).rows);
});

it('a program without probes: one line, and what to do', async () => {
  const trace = record(build('blocks.c', ['-O1', '-g']));
  const { status, stdout, stderr } = await runDprof(['report', trace, '--view', 'blocks']);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /nothing says which machine code its records are of: no probes, or no symbols, in .*\n.*-fdprof-blocks/,
  );
});

it('schedules or several machines: refused', async () => {
  const trace = record(build('blocks.c', ['-O1', '-g', '-fdprof-blocks']));
  for (const flags of [
    ['--schedules', '2'],
    ['--machine', 'zen3', '--machine', 'skylake-sp'],
  ]) {
    const { status, stderr } = await runDprof(['report', trace, '--view', 'blocks', '--cores', '1', ...flags]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/--view blocks is of a run on one machine/)]);
  }
});

it.each([
  ['--sort', 'times'],
  ['--function', 'find'],
  ['--format', 'csv'],
])('%s is refused', (...flags) => {
  const trace = record(build('blocks.c', ['-O1', '-g', '-fdprof-blocks']));
  const { status, stdout, stderr } = runDprof(['report', trace, '--view', 'blocks', ...flags]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^dprof: (--view blocks has no csv|--\w+ is not for blocks, which have one order)\n/);
});

describe('the view', () => {
  let trace: string;
  beforeAll(() => {
    trace = record(build('blocks.c', ['-O1', '-g', '-fdprof-blocks']));
  });

  it('JSON adds up', () => {
    const { schema, code, cycles, rows } = JSON.parse(
      outputOf(['report', trace, '--view', 'blocks', '--format', 'json']),
    );
    expect(schema).toBe('dprof.blocks/1');
    expect(code).toMatchObject({ uncountedBlocks: 0, uncountedInstructions: 0, unread: [] });
    const sum = (of: (row: any) => number): number => rows.reduce((all: number, row: any) => all + of(row), 0);
    const instructions = sum(({ executions, instructions: own }) => executions * own);
    expect(instructions).toBeLessThanOrEqual(code.instructions);
    expect(instructions).toBeGreaterThan(0.98 * code.instructions);
    const rowCycles = sum((row) => row.cycles);
    expect(rowCycles).toBeCloseTo(
      sum((row) => row.executions * (row.computeCycles + row.waitCycles)),
      3,
    );
    expect(rowCycles).toBeLessThanOrEqual((cycles.compute + cycles.wait) * 1.000001);
    for (const { blocks, parts } of rows) expect(parts).toHaveLength(blocks === 1 ? 0 : blocks);
    for (const row of rows) expect(['compute', 'dependency', 'latency', 'sharing']).toContain(row.bound);
  });

  it('a loop of several blocks is one row, of an iteration', () => {
    const { rows } = JSON.parse(outputOf(['report', trace, '--view', 'blocks', '--format', 'json']));
    const own = rows.filter((row: any) => row.function === 'choose' && row.isLoop);
    expect(own).toMatchObject([{ executions: 700, executionsAtMost: 700 }]);
    const [{ blocks, parts, code, executions, instructions, computeCycles, waitCycles, cycles }] = own;
    expect(blocks).toBe(parts.length);
    expect(parts.filter((part: any) => part.executions === 100).length).toBeGreaterThanOrEqual(6); // the cases
    const sum = (of: (part: any) => number): number => parts.reduce((all: number, part: any) => all + of(part), 0);
    expect(instructions).toBeCloseTo(sum((part) => part.executions * part.instructions) / executions, 9);
    expect(executions * (computeCycles + waitCycles)).toBeCloseTo(
      sum((part) => part.cycles),
      3,
    );
    expect(cycles).toBeCloseTo(
      sum((part) => part.cycles),
      3,
    );
    expect(code).toHaveLength(sum((part) => part.code.length));
    expect(parts[0]).toMatchObject({ address: own[0].address, executions: 700 });
  });

  it('text names function, line and how much is counted', () => {
    const text = outputOf(['report', trace, '--view', 'blocks']);
    expect(text).toMatch(/^time +about [0-9,]+ cycles for [0-9,]+ instructions: .* computing, .* waiting for misses$/m);
    expect(text).toMatch(/^counted +\d+ of \d+ blocks of \d+ functions; the others have at most 0\.0% of their/m);
    expect(text).toMatch(/^blocks\.c:\d+ +choose /m);
    expect(text).toMatch(/ \d+ of \d+ blocks and loops with a thousandth of the instructions/);
  });
});

it('advice takes the cycles of an instruction from the blocks', () => {
  const trace = record(build('blocks.c', ['-O1', '-g', '-fdprof-blocks']));
  const { cpi } = JSON.parse(outputOf(['advise', trace, '--cpi', 'measured', '--format', 'json']));
  expect(cpi).toBeGreaterThan(0.1); // of a processor that finishes at most ten in a cycle
  expect(cpi).toBeLessThan(20);
  expect(outputOf(['advise', trace, '--cpi', 'measured'])).toMatch(
    /^CPI +[0-9.]+ cycles of an instruction where nothing/m,
  );
  expect(outputOf(['advise', trace])).not.toMatch(/^CPI/m);
});
