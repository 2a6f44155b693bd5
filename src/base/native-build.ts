// Stage: base. The places of the native build's files.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `file` lies in build/ of the package; DPROF_BUILD names another build. */
export function locateNative(file: string): string {
  if (process.env.DPROF_BUILD) return join(process.env.DPROF_BUILD, file);
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'build', file);
    if (existsSync(path)) return path;
  }
  return join('build', file);
}
