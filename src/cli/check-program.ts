// Stage: command line. `dprof check` of one program: recorded, replayed under the orders of threads that matter,
// judged, and where it fails advised on.

import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { readBaseline, type Baseline } from '../check/baseline.js';
import type { CheckedProgram } from '../check/check-file.js';
import { programResult, type ProgramResult } from '../check/check-result.js';
import { judge, type Verdict } from '../check/judge.js';
import { isOne } from '../check/range.js';
import { shapeOf } from '../check/struct-shapes.js';
import { findSubject } from '../check/subject.js';
import { closeObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { describeMachine } from '../report/machine-line.js';
import { sumAll } from '../views/counter-sums.js';
import { keepPassed, removeCheckPage, writeCheckPage } from './check-page.js';
import { passedPath, runChecked } from './checked-run.js';
import { parseReplayFlags, type ReplayRequest } from './machine-options.js';
import { replayTrace } from './replay-trace.js';
import { listSchedules } from './schedules.js';

/** Orders of threads, if counts depend on them and nobody says how many. */
const SCHEDULES = 4;
/** What is checked are sums, and the objects of many would take as long as all the rest. */
const MOST_OBJECTS = 200_000;
/** Advice on a longer run takes minutes. */
const MOST_ADVISED = 50e6;

export interface CheckedOutcome {
  readonly program: CheckedProgram;
  readonly result: ProgramResult;
  /** What --update writes; undefined: no number of the program is kept. */
  readonly baseline: Baseline | undefined;
  /** Paragraphs. */
  readonly advice: readonly string[];
}

/** The command's flags. */
interface Asked {
  readonly update?: boolean;
  readonly rerun?: boolean;
  readonly advice: boolean;
  readonly html?: string;
}

/** `path`: of the baseline. */
export async function checkProgram(
  program: CheckedProgram,
  root: string,
  path: string,
  { update = false, rerun = false, advice: isAdvised, html }: Asked,
): Promise<CheckedOutcome> {
  const { limits, baseline: kept } = program;
  const request = requestOf(program, root);
  const before = update ? undefined : readBaseline(path);
  if (!update && before === undefined && kept.length > 0)
    throw new DprofError(`${program.name}: no baseline: ${path} is not there`, 'dprof check --update writes it', 2);
  if (html !== undefined) removeCheckPage(program.name, html);
  const { traces, isKept } = await runChecked(program, root, rerun);
  const profiles = await replayAll(program, traces, request);
  try {
    const machine = spellMachine(profiles[0], program, root);
    if (before !== undefined && kept.length > 0) checkBaseline(before, program, machine, path);
    const verdicts = judge(profiles, [...limits, ...kept], before).map((verdict) => fromHere(verdict, root, program));
    const failed = verdicts.filter(({ status }) => status === 'failed');
    const passed = passedPath(root, program.name);
    if (failed.length === 0 && isOlder(passed, traces[0])) await keepPassed(profiles[0], passed);
    const page =
      failed.length === 0 || html === undefined
        ? null
        : await withWholeProfile(profiles[0], program, traces, request, (whole) =>
            writeCheckPage(program.name, whole, passed, html),
          );
    const { totals } = profiles[0];
    const isShort = traces.length === 1 && totals.references <= MOST_ADVISED;
    const found =
      isAdvised && !update && failed.length > 0 && isShort
        ? await (await import('./check-advice.js')).adviceOf(traces[0], profiles[0], request, failed)
        : { findings: [], paragraphs: [] };
    return {
      program,
      result: programResult(program, verdicts, {
        machine,
        schedules: profiles.length,
        references: totals.references,
        kept: isKept,
        trace: traces[0],
        advice: found.findings,
        page,
      }),
      baseline:
        kept.length === 0 && verdicts.every(({ statement }) => statement.subject.kind !== 'type')
          ? undefined
          : baselineOf(profiles[0], verdicts, machine),
      advice: found.paragraphs,
    };
  } finally {
    profiles.forEach(closeObjects);
  }
}

/** Or not there. */
function isOlder(path: string, other: string): boolean {
  const { mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs < statSync(other).mtimeMs;
}

/** A machine's file is named from the folder of dprof.yml. */
export function requestOf({ name, machine, cores, from, to }: CheckedProgram, root: string): ReplayRequest {
  const file = machine === undefined ? undefined : resolve(root, machine);
  try {
    return parseReplayFlags({
      ...(machine !== undefined && { machine: [file !== undefined && existsSync(file) ? file : machine] }),
      ...(cores !== undefined && { cores: String(cores) }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    throw new DprofError(`${name}: ${error.message}`, error.hint, error.exitCode);
  }
}

/** Alike in every checkout. */
function spellMachine({ machine }: Profile, { machine: named = '' }: CheckedProgram, root: string): string {
  return describeMachine(machine.name === resolve(root, named) ? { ...machine, name: named } : machine);
}

/** Sources are named as the compiler was given them: from where the program is built. */
function fromHere(verdict: Verdict, root: string, { directory }: CheckedProgram): Verdict {
  if (verdict.at === null) return verdict;
  const path = resolve(root, directory, verdict.at.file);
  const file = relative('.', path);
  return existsSync(path) && !file.startsWith('..') ? { ...verdict, at: { ...verdict.at, file } } : verdict;
}

/** Of the usual order first; of others too, if counts depend on it. */
export async function replayAll(
  program: CheckedProgram,
  traces: readonly string[],
  request: ReplayRequest,
): Promise<Profile[]> {
  const under = (schedule: ReplayRequest['schedule']): Promise<Profile> =>
    replay(program, traces, { ...request, schedule, mostObjects: MOST_OBJECTS });
  const first = await under(request.schedule);
  const isBound = sumAll(first.tallies).get('orderBoundTransfers') > 0;
  const orders = listSchedules(request.schedule, program.schedules ?? (isBound ? SCHEDULES : 1));
  const profiles = [first];
  for (const schedule of orders.slice(1)) profiles.push(await under(schedule));
  return profiles;
}

/** One whose objects are told apart. */
async function withWholeProfile<Value>(
  profile: Profile,
  program: CheckedProgram,
  traces: readonly string[],
  request: ReplayRequest,
  use: (whole: Profile) => Promise<Value>,
): Promise<Value> {
  if (!profile.objectsAreSums) return use(profile);
  const whole = await replay(program, traces, request);
  try {
    return await use(whole);
  } finally {
    closeObjects(whole);
  }
}

async function replay({ name }: CheckedProgram, traces: readonly string[], request: ReplayRequest): Promise<Profile> {
  return (await replayTrace(traces, { ...request, kept: 'exact', keepsQuietly: true }, name))[0];
}

function checkBaseline(
  { machine: own, counts }: Baseline,
  { name, baseline }: CheckedProgram,
  machine: string,
  path: string,
): void {
  if (own !== machine)
    throw new DprofError(
      `${path}: a baseline of another machine (${own}), and ${name} is replayed on ${machine}`,
      'dprof check --update takes it anew',
      2,
    );
  for (const { key, place } of baseline)
    if (!Object.hasOwn(counts, key))
      throw new DprofError(
        `${place.file}:${place.line}:${place.column}: ${path} has no '${key}'`,
        'dprof check --update takes it',
        2,
      );
}

function baselineOf(profile: Profile, verdicts: readonly Verdict[], machine: string): Baseline {
  const counts = verdicts
    .filter(({ statement }) => statement.kind === 'baseline')
    .map(({ statement, value }) => [statement.key, isOne(value) ? value[0] : value] as const);
  const types = verdicts.flatMap(({ statement }) => findSubject(profile, statement.subject).type ?? []);
  const structs = types.flatMap((type) => {
    const shape = shapeOf(profile, type);
    return shape === undefined ? [] : [[type, shape] as const];
  });
  return {
    schema: 'dprof.baseline/1',
    machine,
    counts: Object.fromEntries(counts),
    structs: Object.fromEntries(structs),
  };
}
