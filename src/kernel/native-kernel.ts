// Stage: stream -> kernel -> answer. A kernel in C or C++ (runtime/include/dprof/kernel.h): compiled, loaded by the
// engine, and called with rows as they are made.

import { spawnSync } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { llvmTool } from '../base/llvm-tool.js';
import { openNamelessFile } from '../base/nameless-file.js';
import type { ReplayInput } from '../contract/input.js';
import { ask, loadAddon } from '../replay/native-engine.js';
import { PackedColumn } from '../stream/packed-column.js';
import { askedOf } from '../stream/read-references.js';
import { columnCalled, requireColumns, type ColumnName } from '../stream/stream-columns.js';

export function isNative(file: string): boolean {
  return /\.(c|cc|cpp|cxx|so)$/.test(file);
}

/** A library that can be loaded. */
export interface NativeKernel {
  readonly library: string;
  /** As the user calls it. */
  readonly file: string;
}

/** Runs in a process of its own (kernel-process.ts): the library may do anything. */
export async function runNativeKernel(input: ReplayInput, kernel: NativeKernel, workers?: number): Promise<string> {
  const { library, file } = kernel;
  const { names, isArrow } = openKernel(library, file);
  requireColumns(names, input.catalog);
  const columns = names.map((name) => new PackedColumn(name, input, { hasNone: !isArrow }));
  const { whole, asked, packings } = askedOf(input, columns, workers);
  const packed = columns.filter(({ packing }) => packing !== null);
  const own = columns.map((column) => ({
    name: column.name,
    packed: packed.indexOf(column),
    words: column.words,
  }));
  const { text, failed } = await ask(input, () => loadAddon().runKernel(library, whole, asked, packings, own));
  if (failed === 0) return text;
  throw new DprofError(`${file}: run() returned ${failed}`, 'it returns 0 where all went well (docs/kernels.md)');
}

/** `headers`: the folder of dprof/kernel.h. What is compiled has no name, and is gone with this process. */
export async function withKernelLibrary<Answer>(
  file: string,
  headers: string,
  use: (kernel: NativeKernel) => Promise<Answer>,
): Promise<Answer> {
  if (!existsSync(file)) throw new DprofError(`there is no ${file}`, 'docs/kernels.md shows one', 2);
  if (file.endsWith('.so')) return use({ library: resolve(file), file });
  const compiled = openNamelessFile();
  try {
    compile(file, headers, compiled);
    return await use({ library: `/proc/${process.pid}/fd/${compiled}`, file });
  } finally {
    closeSync(compiled);
  }
}

/** Into the file of the descriptor, where GNU's linker writes and LLVM's cannot. */
function compile(file: string, headers: string, into: number): void {
  const compiler = llvmTool(file.endsWith('.c') ? 'clang' : 'clang++');
  const flags = ['-O2', '-shared', '-fPIC', '-fuse-ld=bfd', `-I${headers}`, file, '-o', '/proc/self/fd/3'];
  const stdio = ['ignore', 'ignore', 'pipe', into] as const;
  const { status, stderr, error } = spawnSync(compiler, flags, { encoding: 'utf8', stdio: [...stdio] });
  if (error !== undefined) throw new DprofError(`${compiler} does not run: ${error.message}`, 'dprof doctor');
  if (status === 0) return;
  const first = stderr.split('\n').find((line) => line.includes('error')) ?? stderr.split('\n')[0];
  throw new DprofError(first, `a kernel includes <dprof/kernel.h> (docs/kernels.md)`, 2);
}

function openKernel(library: string, file: string): { names: ColumnName[]; isArrow: boolean } {
  let opened: ReturnType<ReturnType<typeof loadAddon>['openKernel']>;
  try {
    opened = loadAddon().openKernel(library);
  } catch (error) {
    throw new DprofError(`${file}: ${(error as Error).message}`, 'define dprof_kernel (docs/kernels.md)', 2);
  }
  const names = opened.columns.map((name) => columnCalled(name, file));
  names.forEach((name, at) => requireColumn(name, names.indexOf(name) === at, file));
  return { names, isArrow: opened.isArrow };
}

function requireColumn(name: ColumnName, isNew: boolean, file: string): void {
  if (!isNew) throw new DprofError(`${file}: the column ${name} stands twice`, 'each column once', 2);
  if (['cacheLine', 'process', 'site'].includes(name) || name.startsWith('caller'))
    throw new DprofError(
      `${file}: a kernel in C cannot have the column ${name}`,
      'a kernel in TypeScript has all columns',
      2,
    );
}
