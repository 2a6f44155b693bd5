// Stage: test. A folder with a dprof.yml, as `dprof check` finds one; the program in it is compiled once.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CheckResult, StatementResult } from '../../src/check/check-result.js';
import { type Outcome, runDprof } from '../cli/command-client.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const SOURCE = join(ROOT, 'test/check/programs/work.c');
const INCLUDES = ['-I', join(ROOT, 'runtime/include')];

let built: string | undefined;

export function compile(source: string, program: string): string {
  const compiler = join(ROOT, /[.](cc|cpp)$/.test(source) ? 'bin/dprof-c++' : 'bin/dprof-cc');
  execFileSync(compiler, ['-O1', '-g', '-pthread', ...INCLUDES, source, '-o', program], { cwd: dirname(program) });
  return program;
}

/** programs/work.c. */
function workProgram(): string {
  return (built ??= compile(SOURCE, join(makeTemporaryFolder('check-program'), 'work')));
}

export class Project {
  readonly folder = makeTemporaryFolder('check');

  /** `files`: by name, what is in them. `work` is there. */
  constructor(files: Readonly<Record<string, string>> = {}) {
    copyFileSync(workProgram(), join(this.folder, 'work'));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string | Uint8Array): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** `dprof check` of the text; without, of dprof.yml as it is. */
  check(
    text: string | null,
    words: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Outcome {
    if (text !== null) this.write('dprof.yml', text);
    return runDprof(['check', '-f', this.path('dprof.yml'), ...words], { COLUMNS: '100', ...environment });
  }

  /** Its JSON; it passes or fails. */
  result(text: string | null, words: readonly string[] = []): CheckResult {
    const { status, stdout, stderr } = this.check(text, ['--format', 'json', '--no-advice', ...words]);
    if (stdout === '') throw new Error(stderr);
    const result = JSON.parse(stdout) as CheckResult;
    if ((status === 0) !== (result.status === 'passed')) throw new Error(`status ${status}: ${result.status}`);
    return result;
  }

  statements(text: string | null, words: readonly string[] = []): readonly StatementResult[] {
    return this.result(text, words).programs.flatMap(({ statements }) => statements);
  }
}

/** A dprof.yml of one program. */
export function yamlOf(run: string, ...rest: readonly string[]): string {
  return ['programs:', '  work:', `    run: ./work ${run}`, ...rest.map((line) => `    ${line}`), ''].join('\n');
}

export function listOf(kind: 'limits' | 'baseline', ...lines: readonly string[]): string[] {
  return [`${kind}:`, ...lines.map((line) => `  - ${line}`)];
}

/** The one line that says what is wrong, without the folder. */
export function wrongOf({ status, stdout, stderr }: Outcome, { folder }: Project): string {
  if (status !== 2 || stdout !== '') throw new Error(`status ${status}: ${stdout}${stderr}`);
  return stderr.replaceAll(`${folder}/`, '');
}
