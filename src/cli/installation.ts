// Stage: command line. The places of this installation's pieces: the native build is beside the compiled TypeScript.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';

function findRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new DprofError('dprof is not inside its own package', 'reinstall it');
  }
}

export const INSTALLATION = findRoot();
/** DPROF_BUILD: another native build, for working on dprof itself. */
const build = process.env.DPROF_BUILD || join(INSTALLATION, 'build');

export const NATIVE = {
  recorder: join(build, 'bin/dprof-record'),
  probe: join(build, 'bin/dprof-probe'),
  plugin: join(build, 'lib/libdprof_pass-19.so'),
  runtime: join(build, 'lib/libdprof_runtime.so'),
  collector: join(build, 'bin/dprof-history'),
  code: join(build, 'bin/dprof-code'),
  histories: join(build, 'lib/libdprof_histories.so'),
  sampler: join(build, 'bin/dprof-sample'),
  sampled: join(build, 'lib/libdprof_sampler.so'),
  allocations: join(build, 'bin/dprof-allocations'),
  blocks: join(build, 'bin/dprof-blocks'),
  engine: join(build, 'lib/dprof_engine.node'),
} as const;

/** What reads x86-64's instructions or its PMU, and the command that does so with it. */
const OF_X86: Readonly<Partial<Record<keyof typeof NATIVE, string>>> = {
  blocks: 'dprof block',
  collector: 'dprof history',
  histories: 'dprof history',
  sampler: 'dprof sample',
  sampled: 'dprof sample',
};

export const isOfAnotherProcessor = (piece: keyof typeof NATIVE): boolean =>
  process.arch !== 'x64' && OF_X86[piece] !== undefined;

export function requireNative(piece: keyof typeof NATIVE): string {
  const path = NATIVE[piece];
  if (isOfAnotherProcessor(piece))
    throw new DprofError(`${OF_X86[piece]} is for x86-64, and this is ${process.arch}`, 'run it on an x86-64 machine');
  if (existsSync(path)) return path;
  throw new DprofError(`${basename(path)} is not built (${path})`, `run 'npm run setup' in ${INSTALLATION}`);
}
