// Stage: command line. `dprof check`: the programs of dprof.yml, run and replayed; what must hold of them, and whether
// it does. docs/check.md.

import { isatty } from 'node:tty';
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option, type Command } from 'commander';
import { closestNames, didYouMean } from '../base/closest-names.js';
import { DprofError } from '../base/dprof-error.js';
import { plural } from '../base/format-number.js';
import { readBaseline, writeBaseline } from '../check/baseline.js';
import { readCheckFile, type CheckedProgram } from '../check/check-file.js';
import { checkResult, failedProgram, type CheckResult } from '../check/check-result.js';
import { writeOutputFile } from '../check/write-file.js';
import { annotateError, renderAnnotations, renderMarkdown, withoutCommands } from '../exports/check-github.js';
import { renderJunit } from '../exports/check-junit.js';
import { renderSarif } from '../exports/check-sarif.js';
import { renderCheck } from '../report/check-text.js';
import { chooseStyle } from '../report/text-style.js';
import { checkProgram, type CheckedOutcome } from './check-program.js';
import { CHECK_FOLDER } from './checked-run.js';
import { printError } from './print-error.js';
import { StandardOutput } from './standard-output.js';
import { versionOfDprof } from './trace-identity.js';

const FORMATS = ['text', 'json', 'junit', 'sarif', 'github', 'markdown'] as const;

export interface CheckFlags {
  readonly file: string;
  readonly init?: boolean;
  readonly update?: boolean;
  readonly rerun?: boolean;
  readonly advice: boolean;
  readonly format: (typeof FORMATS)[number];
  readonly junit?: string;
  readonly sarif?: string;
  readonly markdown?: string;
  readonly html?: string;
}

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('run the programs of dprof.yml and fail where what must hold does not: for CI')
    .argument('[programs...]', 'names of programs in the file (default: all); with --init: a program and its arguments')
    .option('-f, --file <file>', 'what to run, and what must hold (docs/check.md)', 'dprof.yml')
    .option('--init', 'run that program once, and write a first dprof.yml of it')
    .option('--update', 'keep the numbers of this run as the baseline, and show what changes in it')
    .option('--rerun', 'run every program, even if nothing that it depends on has changed')
    .option('--no-advice', 'do not look for changes that would mend what failed')
    .addOption(new Option('--format <format>', 'output format').choices([...FORMATS]).default('text'))
    .option('--junit <file>', 'write JUnit XML there too')
    .option('--sarif <file>', 'write SARIF 2.1.0 there too')
    .option('--markdown <file>', 'write Markdown there too, for a comment')
    .option('--html <folder>', 'write a page there for each program that fails: what changed since it passed')
    .action(async (names: readonly string[], flags: CheckFlags) => {
      if (flags.init) return (await import('./check-init.js')).initCheck(flags.file, names);
      if (flags.format === 'github') await annotated(flags.file, () => check(names, flags));
      else await check(names, flags);
    });
}

/** A runner shows the error beside the file too. */
async function annotated(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const output = new StandardOutput();
    if (error instanceof DprofError) output.write(annotateError(error.message, file));
    output.flush();
    throw error;
  }
}

async function check(names: readonly string[], flags: CheckFlags): Promise<void> {
  const programs = choose(readCheckFile(flags.file), names);
  const root = dirname(flags.file);
  const outcomes: CheckedOutcome[] = [];
  for (const one of programs) outcomes.push(await outcomeOf(one, root, flags));
  const result = checkResult(
    flags.file,
    outcomes.map(({ result: own }) => own),
  );
  if (flags.update) return update(outcomes, root);
  deliver(result, outcomes, flags);
  process.exitCode = result.status === 'passed' ? 0 : 1;
}

/** Where a program fails, the others are checked all the same; nothing is updated then. */
async function outcomeOf(program: CheckedProgram, root: string, flags: CheckFlags): Promise<CheckedOutcome> {
  try {
    return await checkProgram(program, root, baselineOf(root, program), flags);
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    const { file, line, column } = program.place;
    const isPlaced = !error.message.startsWith(`${program.name}: `);
    const message = isPlaced ? error.message : `${file}:${line}:${column}: ${error.message}`;
    const placed = new DprofError(message, error.hint, error.exitCode);
    if (flags.update || error.exitCode === 2) throw placed;
    printError(placed);
    return { program, result: failedProgram(program, error), baseline: undefined, advice: [] };
  }
}

function choose(programs: readonly CheckedProgram[], names: readonly string[]): readonly CheckedProgram[] {
  const known = programs.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const [closest = known[0]] = closestNames(name, known);
    throw new DprofError(`no program '${name}' in the file`, didYouMean([closest]), 2);
  }
  return names.length === 0 ? programs : programs.filter(({ name }) => names.includes(name));
}

function baselineOf(root: string, { name }: CheckedProgram): string {
  return join(root, CHECK_FOLDER, `${name}.json`);
}

/** All are written, or none: they were all made before. */
function update(outcomes: readonly CheckedOutcome[], root: string): void {
  const output = new StandardOutput();
  for (const { program, baseline } of outcomes) {
    const path = baselineOf(root, program);
    if (baseline === undefined) {
      output.write(`${program.name}: no number of it is kept\n`);
      continue;
    }
    const before = countsOf(path);
    writeBaseline(path, baseline);
    const keys = Object.keys(baseline.counts).sort();
    const spell = (value: unknown): string => (value === undefined ? 'new' : JSON.stringify(value));
    const changed = keys.filter((key) => spell(before[key]) !== spell(baseline.counts[key]));
    output.write(`${path}: ${changed.length} of ${keys.length} numbers changed\n`);
    for (const key of changed) output.write(`  ${key}: ${spell(before[key])} -> ${spell(baseline.counts[key])}\n`);
  }
  const limits = outcomes.flatMap(({ result }) => result.statements.filter(({ kind }) => kind === 'limit'));
  const failed = limits.filter(({ status }) => status === 'failed').length;
  if (failed > 0) output.write(`${failed} of ${plural(limits.length, 'limit')} failed: dprof check says where\n`);
  output.flush();
}

/** A baseline that cannot be read is replaced. */
function countsOf(path: string): Readonly<Record<string, unknown>> {
  try {
    return readBaseline(path)?.counts ?? {};
  } catch {
    return {};
  }
}

function deliver(result: CheckResult, outcomes: readonly CheckedOutcome[], flags: CheckFlags): void {
  const style = chooseStyle(isatty(1) ? process.stdout : {}, process.env);
  const text = (): string =>
    renderCheck(result, style, new Map(outcomes.map(({ program, advice }) => [program.name, advice])));
  const make: Readonly<Record<CheckFlags['format'], () => string>> = {
    text,
    json: () => `${JSON.stringify(result, null, 1)}\n`,
    junit: () => renderJunit(result),
    sarif: () => renderSarif(result, versionOfDprof()),
    github: () => renderAnnotations(result) + withoutCommands(text()),
    markdown: () => renderMarkdown(result),
  };
  for (const format of ['junit', 'sarif', 'markdown'] as const) {
    const path = flags[format];
    if (path !== undefined) writeOutputFile(path, make[format]());
  }
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (flags.format === 'github' && summary) appendFileSync(summary, renderMarkdown(result));
  const output = new StandardOutput();
  output.write(make[flags.format]());
  output.flush();
}
