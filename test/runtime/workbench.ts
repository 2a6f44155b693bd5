// Stage: test. Builds the small programs beside it against the runtime, and records them.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RUNNER, TARGET_FLAGS } from '../aarch64/target.js';

export const root = resolve(import.meta.dirname, '../..');
const build = resolve(root, process.env.DPROF_BUILD ?? 'build');
const programs = join(root, 'test/runtime/programs');
export const runtimeLibrary = join(build, 'lib/libdprof_runtime.so');
export const recorder = join(build, 'bin/dprof-record');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const AVX512 = ['avx512f', 'avx512dq', 'avx512vl', 'avx512bw', 'avx512cd', 'avx512vbmi', 'avx512vbmi2'];

/** The recorder's loops that this processor can run (path_loop.h). */
export function pathLoops(): readonly string[] {
  const flags =
    process.arch === 'x64'
      ? (readFileSync('/proc/cpuinfo', 'utf8')
          .split('\n')
          .find((line) => line.startsWith('flags')) ?? '')
      : '';
  const has = (...names: string[]): boolean => names.every((name) => flags.split(' ').includes(name));
  return [
    'plain',
    ...(has('avx2', 'bmi2') ? ['avx2'] : []),
    ...(has('avx2', 'bmi2', ...AVX512.map((name) => (name === 'avx512vbmi2' ? 'avx512_vbmi2' : name)))
      ? ['avx512']
      : []),
  ];
}

/** A folder of its own; removed by `clean`, kept if a test failed and nobody calls that. */
export class Workbench {
  readonly folder = mkdtempSync(join(tmpdir(), 'dprof-test-runtime-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Compiles `source`; `plain` links no runtime. */
  compile(
    source: string,
    options: { output?: string; flags?: readonly string[]; libraries?: readonly string[]; plain?: boolean } = {},
  ): string {
    const output = this.path(options.output ?? source.replace(/\.cc?$/, ''));
    const runtime = options.plain
      ? []
      : [
          '-I',
          join(root, 'runtime/include'),
          '-L',
          join(build, 'lib'),
          '-ldprof_runtime',
          `-Wl,-rpath,${join(build, 'lib')}`,
          '-Wl,-z,now',
        ];
    const compiler = source.endsWith('.cc') ? ['clang++-19', '-std=c++20'] : ['clang-19'];
    execFileSync(compiler[0], [
      ...compiler.slice(1),
      ...TARGET_FLAGS,
      '-O1',
      '-Wall',
      '-Wextra',
      '-pthread',
      join(programs, source),
      ...(options.flags ?? []),
      '-o',
      output,
      ...runtime,
      ...(options.libraries ?? []),
    ]);
    return output;
  }

  /** The recorder's encoder, with programs/encode.cc around it. */
  compileEncoder(): string {
    const parts = [
      'bytes',
      'checksum',
      'event_writer',
      'events_chunk',
      'path_loop',
      'path_loop_plain',
      'path_reader',
      'path_table',
      'raw_paths',
      'thread_encoder',
      'unit_view',
    ];
    const source = (name: string): string => join(root, `runtime/recorder/${name}.cc`);
    const wide = (name: string, flags: readonly string[]): string => {
      const output = this.path(`${name}.o`);
      execFileSync('clang++-19', [
        '-std=c++20',
        '-O1',
        ...(process.arch === 'x64' ? [...flags, '-mbmi', '-mbmi2', '-mlzcnt', '-mpopcnt'] : []),
        '-I',
        join(root, 'runtime/include'),
        '-c',
        source(name),
        '-o',
        output,
      ]);
      return output;
    };
    const objects = [
      wide('path_loop_avx2', ['-mavx2']),
      wide(
        'path_loop_avx512',
        AVX512.map((name) => `-m${name}`),
      ),
    ];
    return this.compile('encode.cc', { flags: [...parts.map(source), ...objects], libraries: ['-llz4'] });
  }

  /** The recorder's drain, with programs/drains.cc around it. */
  compileDrains(): string {
    const output = this.path('drains');
    execFileSync('clang++-19', [
      '-std=c++20',
      '-O1',
      '-Wall',
      '-Wextra',
      '-pthread',
      '-I',
      join(root, 'runtime/include'),
      join(programs, 'drains.cc'),
      '-o',
      output,
      join(build, 'runtime/libdprof_recorder.a'),
      join(build, 'runtime/libdprof_json.a'),
      '-llz4',
      '-ldl',
    ]);
    return output;
  }

  /** An object file of a C source, to be linked into a program of another language. */
  compileObject(source: string): string {
    const output = this.path(`${source}.o`);
    execFileSync('clang-19', [
      ...TARGET_FLAGS,
      '-O1',
      '-Wall',
      '-Wextra',
      '-Wno-unused-function',
      '-I',
      join(root, 'runtime/include'),
      '-c',
      join(programs, source),
      '-o',
      output,
    ]);
    return output;
  }

  run(command: readonly string[], environment: Record<string, string> = {}, input = ''): Outcome {
    const words = command[0].startsWith(this.folder) ? [...RUNNER, ...command] : command;
    const result = spawnSync(words[0], words.slice(1), {
      cwd: this.folder,
      encoding: 'utf8',
      timeout: 900_000,
      input,
      env: { ...process.env, ...environment },
    });
    return { status: result.signal ? null : result.status, stdout: result.stdout, stderr: result.stderr };
  }

  record(
    name: string,
    command: readonly string[],
    options: readonly string[] = [],
  ): Outcome & { readonly trace: string } {
    const trace = this.path(name);
    return { ...this.run([recorder, '-o', trace, ...options, '--', ...command]), trace };
  }

  /** File names in the folder that begin with `prefix`, sorted. */
  files(prefix: string): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.startsWith(prefix))
      .sort();
  }

  clean(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The session directories in shared memory that the recorder of this pid made. */
export function sessionsOf(pid: number): string[] {
  return readdirSync('/dev/shm').filter((name) => {
    const control = `/dev/shm/${name}/control`;
    return name.startsWith('dprof-session-') && existsSync(control) && readFileSync(control).readUInt32LE(8) === pid;
  });
}
