// Stage: test. Debian's perf, where it is: what it prints of a recording, and recordings it takes with a debug
// register.

import { spawnSync } from 'node:child_process';

/** Why perf can not be asked, or undefined. */
export const NO_PERF = spawnSync('perf', ['--version']).status === 0 ? undefined : 'perf is not installed';

export function perf(words: readonly string[], input?: Buffer): string {
  const { status, stdout, stderr } = spawnSync('perf', words, { encoding: 'utf8', maxBuffer: 1 << 28, input });
  if (status !== 0) throw new Error(`perf ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Times in ns, no callchains. */
export function perfScript(path: string, fields: string, ...more: string[]): string {
  return perf(['script', '-i', path, '--ns', '-G', '-F', fields, ...more]);
}
