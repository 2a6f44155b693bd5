// Stage: command line. dprof-code as a function: offsets of instructions in files to functions and lines.

import { spawnSync } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import type { CodeOfFile, LocatedCode } from '../hardware/validate/places-of-samples.js';
import { requireNative } from './installation.js';

const MOST_OUTPUT = 1 << 30;

export function codeOfFiles(asked: readonly CodeOfFile[]): LocatedCode[] {
  const input = asked.map(({ file, offsets }) => [`file ${file}`, ...offsets].join('\n')).join('\n');
  const { status, stdout, stderr, error } = spawnSync(requireNative('code'), {
    input: input === '' ? '' : `${input}\n`,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (error !== undefined || status !== 0)
    throw new DprofError(
      `dprof-code failed: ${error?.message ?? stderr.split('\n')[0]}`,
      'one of the files that were sampled can not be read; dprof dump lists them',
    );
  const lines = stdout.split('\n');
  let at = 0;
  return asked.map(({ offsets }) => {
    const file = JSON.parse(lines[at++]) as Omit<LocatedCode, 'places'>;
    return { ...file, places: offsets.map(() => JSON.parse(lines[at++]) as LocatedCode['places'][number]) };
  });
}
