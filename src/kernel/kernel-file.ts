// Stage: file -> kernel. TypeScript or JavaScript of a user as one module, which workers load.

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { columnCalled } from '../stream/stream-columns.js';
import type { Kernel } from './kernel.js';

/** A URL that holds all of the compiled module, so that no file stays however this process ends. */
export async function compileKernel(file: string): Promise<string> {
  if (!existsSync(file)) throw new DprofError(`there is no ${file}`, 'docs/kernels.md shows one', 2);
  const { build } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: [resolve(file)],
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      alias: { dprof: kernelModule() },
      logLevel: 'silent',
    });
    return `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  } catch (error) {
    const [first] = (error as { errors?: { text: string; location: { line: number } | null }[] }).errors ?? [];
    const where = first?.location ? `:${first.location.line}` : '';
    throw new DprofError(
      `${file}${where}: ${first?.text ?? (error as Error).message.split('\n')[0]}`,
      "a kernel imports { kernel } from 'dprof' (docs/kernels.md)",
      2,
    );
  }
}

/** The compiled module that a user's file imports as 'dprof'. */
function kernelModule(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'dist/src/kernel/kernel.js');
    if (existsSync(path)) return path;
  }
  throw new DprofError("the kernels' module is not compiled", "run 'npm run build'");
}

/** The module's kernel, checked. `file`: as the user calls it. */
export async function loadKernel(url: string, file: string): Promise<Kernel> {
  const refuse = (what: string): never => {
    throw new DprofError(`${file}: ${what}`, 'export default kernel({ columns, batch, end }) (docs/kernels.md)', 2);
  };
  let made: Partial<Kernel> | undefined;
  try {
    made = ((await import(url)) as { default?: Partial<Kernel> }).default;
  } catch (error) {
    return refuse(messageOf(error).split('\n')[0]);
  }
  if (typeof made !== 'object' || made === null) return refuse('has no default export that is a kernel');
  const { columns, batch, start, merge } = made;
  if (!Array.isArray(columns)) return refuse('its kernel names no columns');
  for (const name of columns) columnCalled(String(name), file);
  if (typeof batch !== 'function') return refuse('its kernel has no batch(rows, counts)');
  if (start !== undefined && merge === undefined && made.ordered !== true)
    return refuse('its kernel has a start() of its own, and no merge(a, b): give one, or ordered: true');
  return made as Kernel;
}

/** Of what a kernel threw, which may be anything. */
export function messageOf(error: unknown): string {
  try {
    return String((error as Error | null)?.message ?? error);
  } catch {
    return 'what no text can be made of';
  }
}
