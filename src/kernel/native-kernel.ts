// Stage: stream -> kernel -> answer. A kernel in C or C++ (runtime/include/dprof/kernel.h): compiled, loaded by the
// engine, and called with rows as they are made.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { ReplayInput } from '../contract/input.js';
import { ask, loadAddon } from '../replay/native-engine.js';
import { PackedColumn } from '../stream/packed-column.js';
import { askedOf } from '../stream/read-references.js';
import { columnCalled, type ColumnName } from '../stream/stream-columns.js';

export function isNative(file: string): boolean {
  return /\.(c|cc|cpp|cxx|so)$/.test(file);
}

/** `headers`: the folder of dprof/kernel.h. */
export async function runNativeKernel(
  input: ReplayInput,
  file: string,
  headers: string,
  workers?: number,
): Promise<string> {
  if (!existsSync(file)) throw new DprofError(`there is no ${file}`, 'docs/kernels.md shows one', 2);
  const folder = mkdtempSync(join(tmpdir(), 'dprof-kernel-'));
  try {
    const library = file.endsWith('.so') ? file : compile(file, headers, join(folder, 'kernel.so'));
    const columns = columnsOf(library, file).map((name) => new PackedColumn(name, input, { hasNone: true }));
    const { whole, asked, packings } = askedOf(input, columns, workers);
    const packed = columns.filter(({ packing }) => packing !== null);
    const own = columns.map((column) => ({
      name: column.name,
      packed: packed.indexOf(column),
      words: column.words ?? [],
    }));
    return await ask(input, () => loadAddon().runKernel(library, whole, asked, packings, own));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compile(file: string, headers: string, library: string): string {
  const compiler = file.endsWith('.c') ? 'clang-19' : 'clang++-19';
  const flags = ['-O2', '-shared', '-fPIC', `-I${headers}`, file, '-o', library];
  const { status, stderr, error } = spawnSync(compiler, flags, { encoding: 'utf8' });
  if (error !== undefined) throw new DprofError(`${compiler} does not run: ${error.message}`, 'dprof doctor');
  if (status === 0) return library;
  const first = stderr.split('\n').find((line) => line.includes('error')) ?? stderr.split('\n')[0];
  throw new DprofError(first, `a kernel includes <dprof/kernel.h> (docs/kernels.md)`, 2);
}

function columnsOf(library: string, file: string): ColumnName[] {
  let names: string[];
  try {
    names = loadAddon().kernelColumns(library);
  } catch (error) {
    throw new DprofError(`${file}: ${(error as Error).message}`, 'define dprof_kernel (docs/kernels.md)', 2);
  }
  return names.map((name) => {
    const called = columnCalled(name, file);
    if (['cacheLine', 'process', 'site'].includes(called) || called.startsWith('caller'))
      throw new DprofError(
        `${file}: a kernel in C cannot have the column ${called}`,
        'a kernel in TypeScript has all columns',
        2,
      );
    return called;
  });
}
