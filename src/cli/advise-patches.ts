// Stage: command line -> patch. `dprof advise --patch FOLDER`: a file for each change that can be written safely, and
// one for all of these together.

import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { Advice, Finding } from '../advise/advise.js';
import { together } from '../advise/candidate.js';
import type { Change } from '../advise/prediction.js';
import { CompileCommands } from '../patch/compile-commands.js';
import { Refusal } from '../patch/refusal.js';
import { baseOf, SourcePatcher, type SourcePatch } from '../patch/source-patch.js';
import { commandOf, gainOf, plainText, subjectOf } from '../report/advice-words.js';
import type { WrittenPatch, WrittenPatches } from '../report/patches-text.js';
import type { Trials, WhatIfRequest } from '../what-if/what-if.js';
import { INSTALLATION } from './installation.js';

export interface PatchFlags {
  readonly patch?: string;
  readonly compileCommands?: string;
}

export interface PatchChoice {
  readonly folder: string;
  readonly commands: CompileCommands;
}

/** Changes that are more than declarations. */
const NOT_WRITTEN: readonly (readonly [keyof WhatIfRequest, string])[] = [
  ['padRows', 'the length of rows is in the declaration of an array or in arithmetic, which dprof does not change'],
  ['split', 'a part of its own needs other accesses, which dprof does not write'],
  ['narrow', 'whether all values fit in fewer bytes is not checked'],
  ['perThread', 'copies for each thread need other accesses, which dprof does not write'],
  ['pool', 'a pool needs other calls to allocate, which dprof does not write'],
  ['interchange', 'loops in another order are other code, which dprof does not write'],
  ['tile', 'tiles are other loops, which dprof does not write'],
];

/** Before anything is tried. null: no patches are asked for. */
export function checkPatchFlags({ patch: folder, compileCommands }: PatchFlags): PatchChoice | null {
  if (folder === undefined) {
    if (compileCommands === undefined) return null;
    throw new DprofError('--compile-commands is for patches', 'give --patch FOLDER, too', 2);
  }
  const commands = CompileCommands.read(compileCommands);
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    // Of a file, its name with a slash behind it is none.
    accessSync(`${folder}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DprofError(
      `--patch: cannot write to ${folder} (${(error as NodeJS.ErrnoException).code})`,
      'name a folder that may be written to, or one that is to be made in a folder that is there',
      2,
    );
  }
  return { folder, commands };
}

export async function writePatches(
  { findings, all: asAdvised }: Advice,
  trials: Trials,
  trace: string,
  { folder, commands }: PatchChoice,
): Promise<WrittenPatches> {
  const { catalog } = trials.trace;
  const here = process.cwd();
  const base = baseOf(sourcesOf(findings, trials), here);
  const patcher = new SourcePatcher(catalog, trials.survey.objects, commands, join(INSTALLATION, 'bin'), base);
  const files: WrittenPatch[] = [];
  const done: Finding[] = [];
  const write = async (finding: number | 'all', name: string, change: Change, head: readonly string[]) => {
    const made = await tryToWrite(patcher, trials, change);
    if (typeof made === 'string') return void files.push({ finding, path: null, reason: made });
    const path = join(folder, `${name}.patch`);
    const comments = [...head, commandOf(trace, change.options), ...made.notes].map((line) => `# ${line}\n`);
    writeFileSync(path, `${comments.join('')}${made.diff}`);
    files.push({ finding, path, reason: null });
  };
  for (const [index, finding] of findings.entries()) {
    const { problem, change } = finding;
    if (change === null) continue;
    const name = `${index + 1}-${fileName(problem.isRecord ? problem.type : (problem.name ?? problem.type))}`;
    await write(index + 1, name, change, [
      `${plainText(subjectOf(problem))}: ${change.text}.`,
      `${gainOf(change.predicted)}.`,
    ]);
    if (files.at(-1)!.path !== null) done.push(finding);
  }
  if (done.length > 1) {
    const changes = done.flatMap(({ change }) => (change === null ? [] : [change]));
    const all = { ...changes[0], ...together(changes), options: changes.flatMap(({ options }) => options) };
    const foretold = asAdvised !== null && isAlike(asAdvised, all) ? [`${gainOf(asAdvised.predicted)}.`] : [];
    await write('all', 'all', all, [`${all.text}.`, ...foretold]);
  }
  return { folder: base === here ? null : base, files };
}

function isAlike(a: Change, b: Change): boolean {
  return [...a.options].sort().join('\n') === [...b.options].sort().join('\n');
}

/** Or why not. */
async function tryToWrite(patcher: SourcePatcher, trials: Trials, change: Change): Promise<SourcePatch | string> {
  if (change.options.includes('--allocator')) return 'another allocator needs no change in the source';
  const { request } = together([change]);
  const reason = NOT_WRITTEN.find(([option]) => request[option] !== undefined)?.[1];
  if (reason !== undefined) return reason;
  try {
    return await patcher.write(trials.relay(request));
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Files that patches may change. */
function sourcesOf(findings: readonly Finding[], trials: Trials): string[] {
  const { types, variables, files } = trials.trace.catalog;
  const names = findings.flatMap(({ change }) => {
    if (change === null) return [];
    const { changes, variables: aligned } = trials.relay(together([change]).request);
    return [...changes.map(({ type }) => types.file[type]), ...[...aligned.keys()].map((row) => variables.file[row])];
  });
  return names.flatMap((name) => files.get(name)?.path ?? []);
}

/** "node" of "struct node". */
function fileName(type: string): string {
  const bare = type.replace(/^(?:struct|class|union) /, '').replace(/[^\w.]+/g, '-');
  return bare.replace(/^-+|-+$/g, '').slice(0, 60) || 'type';
}
