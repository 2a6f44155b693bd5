// Stage: bench. A trace -> the instructions (Ir) that the native engine runs to replay it, by stage, as callgrind
// counts them. They are the same on every machine and however busy it is, so that two builds can be compared.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readDataProfile, ROOT, run } from '../test/real/real-program.js';

export const STAGES = ['decode', 'order, layout', 'caches', 'counting', 'shards', 'other'] as const;
export type Stage = (typeof STAGES)[number];

/** The folders of engine/ that are a stage; helpers in the others count for the function that they are inlined in. */
const FOLDERS: Readonly<Record<string, Stage>> = {
  trace: 'decode',
  order: 'order, layout',
  layout: 'order, layout',
  caches: 'caches',
  counting: 'counting',
  objects: 'counting',
  flow: 'counting',
  shards: 'shards',
  addon: 'other',
  replay: 'other',
};

/** A command then has one worker. */
const ONE_PROCESSOR = ['taskset', '-c', '0'];

export interface Instructions {
  /** Those of the engine's own binary. Those of the C and C++ libraries depend on the machine: `libraries` has them. */
  readonly all: number;
  readonly stages: Readonly<Record<Stage, number>>;
  readonly libraries: number;
}

export const hasCallgrind = spawnSync('valgrind', ['--version']).status === 0;

/** The engine has loops for AVX2, and others where the processor has none: kept numbers are of the first. */
export const hasAvx2 = /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'latin1'));

function stageOf(file: string): Stage | undefined {
  return FOLDERS[/\/engine\/(\w+)\/[^/]+$/.exec(file)?.[1] ?? ''];
}

/** Sums what callgrind wrote: `fl=` opens a function's file, `fi=` and `fe=` are of what is inlined in it. */
export function readCallgrind(text: string): Instructions {
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<Stage, number>;
  let [all, libraries] = [0, 0];
  const names = new Map<string, string>(); // a name is written once, and is a number from then on
  const nameOf = (kind: string, written: string): string => {
    const [, id, name] = /^(\(\d+\))(?: (.*))?$/.exec(written) ?? [];
    if (id === undefined) return written;
    if (name !== undefined) names.set(kind + id, name);
    return names.get(kind + id) ?? '';
  };
  let isEngine = false;
  let [own, stage]: Stage[] = ['other', 'other'];
  let isCall = false;
  for (const line of text.split('\n')) {
    const [, key, written] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined) {
      const cost = /^[+\-*\d]\S* (\d+)$/.exec(line);
      if (!cost) continue;
      if (isCall)
        isCall = false; // what the callee took, which is counted there
      else if (isEngine) {
        all += Number(cost[1]);
        stages[stage] += Number(cost[1]);
      } else libraries += Number(cost[1]);
    } else if (key === 'calls') isCall = true;
    else if (key === 'ob' || key === 'cob') {
      const name = nameOf('object', written);
      if (key === 'ob') isEngine = name.endsWith('dprof_engine.node');
    } else if (key === 'fn' || key === 'cfn') {
      const name = nameOf('function', written);
      if (key === 'fn' && name.startsWith('LZ4_')) own = stage = 'decode';
    } else if (/^(fl|fi|fe|cfi|cfl)$/.test(key)) {
      const found = stageOf(nameOf('file', written));
      if (key === 'fl') own = stage = found ?? 'other';
      else if (key === 'fi' || key === 'fe') stage = found ?? own;
    }
  }
  return { all, stages, libraries };
}

/** A replay by one worker, with classes, attribution and all views: from the first step to the last count. */
export function countInstructions(trace: string, more: readonly string[] = [], folder = tmpdir()): Instructions {
  return instructionsOf((scratch) => ['replay', trace, '-o', join(scratch, 'profile'), ...more], { folder });
}

/** A command's on one processor, within one of the engine's functions. */
export function instructionsOf(
  words: (scratch: string) => readonly string[],
  { folder = tmpdir(), within = 'dprof::Replay::run()' }: { readonly folder?: string; readonly within?: string } = {},
): Instructions {
  const scratch = mkdtempSync(join(folder, 'dprof-callgrind-'));
  try {
    const found = join(scratch, 'found');
    run([
      ...ONE_PROCESSOR,
      'valgrind',
      '--tool=callgrind',
      `--callgrind-out-file=${found}`,
      '--collect-atstart=no',
      `--toggle-collect=${within}`,
      process.execPath,
      resolve(ROOT, 'bin/dprof'),
      ...words(scratch),
    ]);
    const read = readCallgrind(readFileSync(found, 'latin1'));
    if (read.all === 0) throw new Error('callgrind has seen nothing of the native engine');
    return read;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** With this first-level cache nearly all misses are the first of a line. */
const ROOMY = ['--l1', '8M/8'];

/** With fewer misses more than this part of the references, a miss has no cost of its own. */
const FEW_MISSES = 0.02;

export interface Cost {
  readonly references: number;
  readonly misses: number;
  readonly instructions: Instructions;
  readonly perReference: number;
  /**
   * The instructions of one more L1 miss. The trace is replayed with the default machine and with an L1 of 8 MiB; this
   * is the difference of instructions by the difference of L1 misses. Null if the smaller L1 has few more misses: then
   * the difference of instructions is that of two sizes of L1.
   */
  readonly perMiss: number | null;
}

export function costOf(trace: string, folder?: string): Cost {
  const [few, many] = [ROOMY, []].map((more) => ({
    totals: readDataProfile(trace, more).totals,
    instructions: countInstructions(trace, more, folder),
  }));
  const { references, levels } = many.totals;
  const more = levels.l1.misses - few.totals.levels.l1.misses;
  return {
    references,
    misses: levels.l1.misses,
    instructions: many.instructions,
    perReference: many.instructions.all / references,
    perMiss: more < references * FEW_MISSES ? null : (many.instructions.all - few.instructions.all) / more,
  };
}
