// Samples drawn from the exact run: without bias they agree but for one run in twenty at most; with the biases that
// hardware has they differ. Then as files, on the command line.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF, DPROF_CC, makeFolder, run } from '../../cli/command-line.js';
import { writeTyped } from '../written-samples.js';
import { drawTypedSamples } from '../drawn-samples.js';
import type { TypedSamples } from '../../../src/hardware/samples/typed-samples.js';
import { resolveMachine } from '../../../src/machine/parse-machine.js';
import { buildProfile } from '../../../src/profile/profile-builder.js';
import type { Profile } from '../../../src/profile/profile.js';
import { openTrace, replayInput, type OpenedTrace } from '../../../src/replay/open-trace.js';
import type { ReplayInput } from '../../../src/contract/input.js';
import { simulate } from '../../../src/sim/simulate.js';
import { drawSamples, type NamedSamples } from '../../../src/hardware/validate/draw-samples.js';
import { checkProgram } from '../../../src/hardware/validate/same-program.js';
import { validateSamples, type SamplesValidation } from '../../../src/hardware/validate/validate-samples.js';
import { atLength } from '../../at-length.js';

const PROGRAMS = resolve(import.meta.dirname, 'programs');
/** Of twenty fair draws one may be outside intervals of 95 %. */
const SEEDS = atLength(3, 20);
const folder = makeFolder();
const TRACE = join(folder, 'agreement.dptrace');
const program = join(folder, 'mixed');
let trace: OpenedTrace;
let input: ReplayInput;
let profile: Profile;

beforeAll(() => {
  execFileSync(DPROF_CC, ['-g', '-O1', '-Wl,--build-id', join(PROGRAMS, 'mixed.c'), '-o', program]);
  expect(run(DPROF, 'record', '-o', TRACE, '--', program).status).toBe(0);
  trace = openTrace(TRACE);
  input = replayInput(trace, resolveMachine({}, trace.threads.length), { kind: 'logical' });
  const result = simulate(input);
  profile = buildProfile(result, trace.catalog, {
    run: {
      command: [],
      ended: '',
      truncated: false,
      addressRandomisation: false,
      threads: 1,
      refusals: {},
      stampsPerSecond: 1,
    },
    machine: input.machine,
    schedule: { kind: 'logical' },
  });
});

interface Drawn {
  readonly types: readonly string[];
  readonly samplers: readonly NamedSamples[];
}
const draws = new Map<string, Drawn>();

function draw(seed: number, period: number): Drawn {
  const key = `${seed} ${period}`;
  const made = draws.get(key);
  if (made !== undefined) return made;
  const drawn = drawSamples(input, {
    events: { accesses: 1, loads: 1, latencyCycles: 1, loadLatencyCycles: 1 },
    period,
    samples: 1,
    skid: 10,
    seed,
  });
  draws.set(key, drawn);
  return drawn;
}

/** As IBS, which draws from all references; types that only an access knows are of no object. */
function typed(types: readonly string[], { type }: NamedSamples, scalars: ReadonlySet<string>): TypedSamples {
  const counts = new Map<string, number>();
  for (const row of type) {
    const what = scalars.has(types[row]) ? '' : types[row];
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const drawn = drawTypedSamples({
    types: types.filter((name) => !scalars.has(name)).map((name) => ({ name })),
    rows: [...counts].map(([what, samples]) => ({ what, at: 'main mixed.c:1', samples })),
    buildId: String(trace.process.buildId),
  });
  return {
    ...drawn,
    events: drawn.events.map((event) => ({ ...event, source: 'ibs' as const })),
    modules: [{ ...drawn.modules[0], file: program }],
  };
}

function compare(samples: TypedSamples): SamplesValidation {
  const files = { trace: TRACE, samples: 'drawn' };
  const same = checkProgram(
    { file: trace.process.executable, buildId: String(trace.process.buildId) },
    samples.modules,
    false,
    files,
  );
  return validateSamples(
    profile,
    samples,
    { functions: new Set(['main']), modules: new Set([samples.modules[0].file.replace(/.*\//, '')]) },
    same,
    { by: 'type', tolerancePoints: 5, ...files },
  );
}

/** Types that no object of the run has. */
function scalarTypes(): ReadonlySet<string> {
  const { tallies, types, strings } = profile;
  const ofObjects = new Set(
    [...tallies.type].filter((_, row) => tallies.rule[row] <= 3).map((type) => strings[types.name[type]]),
  );
  return new Set([...types.name].map((name) => strings[name]).filter((name) => !ofObjects.has(name)));
}

test(`drawn alike, samples agree at ${SEEDS} seeds but one at most`, () => {
  const scalars = scalarTypes();
  const verdicts = Array.from({ length: SEEDS }, (_, index) => {
    const { types, samplers } = draw(index + 1, 7);
    return compare(typed(types, samplers.find(({ sampler }) => sampler === 'even')!, scalars)).verdict;
  });
  expect(verdicts.filter((verdict) => verdict !== 'agrees').length).toBeLessThanOrEqual(1);
});

test('few samples are too few, and so many as it says would do do', () => {
  const scalars = scalarTypes();
  const few = draw(1, 400);
  const found = compare(typed(few.types, few.samplers[0], scalars));
  expect(found.verdict).toBe('too-few');
  expect(found.measures[0].enough).toBeGreaterThan(found.measures[0].samples);
  const period = Math.floor(400 * (found.measures[0].samples / found.measures[0].enough) * 0.9);
  const enough = draw(1, period);
  expect(compare(typed(enough.types, enough.samplers[0], scalars)).verdict).toBe('agrees');
});

test('loads only, taken for draws of everything, and drawn by latency: they differ', () => {
  const scalars = scalarTypes();
  for (const name of ['loads', 'latency']) {
    const { types, samplers } = draw(1, 7);
    const found = compare(typed(types, samplers.find(({ sampler }) => sampler === name)!, scalars));
    expect([name, found.verdict]).toEqual([name, 'differs']);
    expect(found.measures[0].distancePoints!).toBeGreaterThan(3 * found.measures[0].chancePoints!);
  }
});

test('on the command line: verdicts, statuses, refusals', () => {
  const file = join(folder, 'drawn.dpsamples');
  const write = (samples: TypedSamples): void => writeFileSync(file, writeTyped(samples));
  const { types, samplers } = draw(3, 7);
  const samples = typed(types, samplers[0], scalarTypes());
  write(samples);
  const agrees = run(DPROF, 'validate', TRACE, file, '--tolerance', '5', '--format', 'json');
  expect([agrees.status, agrees.stderr]).toEqual([0, '']);
  const found = JSON.parse(agrees.stdout) as SamplesValidation;
  expect(found).toMatchObject({
    schema: 'dprof.validate-samples/1',
    verdict: 'agrees',
    by: 'type',
    tolerancePoints: 5,
    program: { identity: 'same-build' },
  });
  expect(found.rows.filter(({ measure }) => measure === 'references').reduce((sum, row) => sum + row.samples, 0)).toBe(
    found.measures[0].samples,
  );
  expect(
    JSON.parse(run(DPROF, 'validate', TRACE, file, '--tolerance', '5', '--format', 'json', '--engine', 'ts').stdout),
  ).toEqual(found);
  expect(run(DPROF, 'validate', TRACE, file, '--tolerance', '0.01').status).toBe(1);

  const traced = `build id ${String(trace.process.buildId)}`;
  write({ ...samples, modules: [{ ...samples.modules[0], buildId: 'bb22' }] });
  expect(run(DPROF, 'validate', TRACE, file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`: build id bb22, not ${traced.slice(9)}\n`),
  });
  const other = run(DPROF, 'validate', TRACE, file, '--other-build', '--tolerance', '5');
  expect([other.status, other.stderr]).toEqual([0, '']);
  expect(other.stdout).toContain('samples of ANOTHER BUILD (--other-build)');
  write({ ...samples, modules: [{ ...samples.modules[0], file: '/usr/bin/else', buildId: 'cc33' }] });
  expect(run(DPROF, 'validate', TRACE, file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`/usr/bin/else (build id cc33), not ${program} (${traced})`),
  });
  write(drawTypedSamples({ types: [], rows: [] }));
  expect(run(DPROF, 'validate', TRACE, file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`dprof: ${file} has no samples`),
  });
});

test.each([
  [['--tolerance', '0'], "--tolerance: '0' is not points of percent above 0 and below 100"],
  [['--tolerance', '1e9'], "--tolerance: '1e9' is not points of percent above 0 and below 100"],
  [['--schedules', '3'], '--schedules does nothing here: samples are held against one order'],
  [['--period', '3'], '--period does nothing without --resample'],
] as const)('wrong usage: %j', (flags, message) => {
  const file = join(folder, 'drawn.dpsamples');
  const { status, stderr } = run(DPROF, 'validate', TRACE, file, ...flags);
  expect([status, stderr.split('\n')[0]]).toEqual([2, `dprof: ${message}`]);
});

test('--other-build is for samples', () => {
  expect(run(DPROF, 'validate', TRACE, TRACE, '--other-build')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('dprof: --other-build does nothing without samples'),
  });
});
