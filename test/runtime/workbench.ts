// Stage: test. Builds the small programs beside it against the runtime, and records them.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const build = resolve(root, process.env.DPROF_BUILD_DIR ?? 'build');
const programs = join(root, 'test/runtime/programs');
export const recorder = join(build, 'bin/dprof-record');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own; removed by `clean`, kept if a test failed and nobody calls that. */
export class Workbench {
  readonly folder = mkdtempSync(join(tmpdir(), 'dprof-test-runtime-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Compiles `source`; `plain` links no runtime. */
  compile(source: string, options: { output?: string; flags?: readonly string[]; libraries?: readonly string[]; plain?: boolean } = {}): string {
    const output = this.path(options.output ?? source.replace(/\.cc?$/, ''));
    const runtime = options.plain ? [] : ['-I', join(root, 'runtime/include'), '-L', join(build, 'lib'), '-ldprof_runtime', `-Wl,-rpath,${join(build, 'lib')}`, '-Wl,-z,now'];
    const compiler = source.endsWith('.cc') ? ['clang++-19', '-std=c++20'] : ['clang-19'];
    execFileSync(compiler[0], [...compiler.slice(1), '-O1', '-Wall', '-Wextra', '-pthread', join(programs, source), ...(options.flags ?? []), '-o', output, ...runtime, ...(options.libraries ?? [])]);
    return output;
  }

  run(command: readonly string[], environment: Record<string, string> = {}): Outcome {
    const result = spawnSync(command[0], command.slice(1), { cwd: this.folder, encoding: 'utf8', timeout: 60_000, env: { ...process.env, ...environment } });
    return { status: result.status, stdout: result.stdout, stderr: result.stderr };
  }

  record(name: string, command: readonly string[], options: readonly string[] = []): Outcome & { readonly trace: string } {
    const trace = this.path(name);
    return { ...this.run([recorder, '-o', trace, ...options, '--', ...command]), trace };
  }

  /** File names in the folder that begin with `prefix`, sorted. */
  files(prefix: string): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith(prefix)).sort();
  }

  clean(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Session directories that recorders have left behind in shared memory. */
export function sessionDirectories(): string[] {
  return readdirSync('/dev/shm').filter((name) => name.startsWith('dprof-session-'));
}
