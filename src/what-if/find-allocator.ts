// Stage: command line -> what-if. The name of an allocator, or a library's file, to what a process loads.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { AllocatorChoice } from './allocations.js';

/** Sonames in Debian's packages. */
const LIBRARIES: Readonly<Record<string, { readonly library?: string; readonly package?: string }>> = {
  glibc: {},
  jemalloc: { library: 'libjemalloc.so.2', package: 'libjemalloc2' },
  tcmalloc: { library: 'libtcmalloc_minimal.so.4', package: 'libtcmalloc-minimal4' },
  mimalloc: { library: 'libmimalloc.so.2', package: 'libmimalloc2.0' },
};

/** glibc, but no two blocks have a line together. */
export const OWN_LINES = 'lines';

/** Names of those that are here. */
export function installedAllocators(): string[] {
  const isThere = (name: string): boolean => {
    try {
      return findAllocator(name).library !== undefined;
    } catch {
      return false;
    }
  };
  return [OWN_LINES, ...Object.keys(LIBRARIES).filter(isThere)];
}

export function findAllocator(name: string): AllocatorChoice {
  if (name.includes('/')) {
    if (!existsSync(name)) throw new DprofError(`--allocator: no file ${name}`, 'name a shared library', 2);
    return { name, library: resolve(name) };
  }
  if (name === OWN_LINES) return { name, ownLines: true };
  const known = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined;
  if (known === undefined)
    throw new DprofError(
      `--allocator: '${name}' is not known`,
      `use ${[...Object.keys(LIBRARIES), OWN_LINES].join(', ')}, or the path of a shared library`,
      2,
    );
  if (known.library === undefined) return { name };
  const listed = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '';
  const path = listed
    .split('\n')
    .filter((line) => line.trim().startsWith(`${known.library} `))
    .map((line) => line.slice(line.indexOf('=> ') + 3))
    .at(0);
  if (path === undefined)
    throw new DprofError(`--allocator: ${name} is not installed`, `apt-get install ${known.package}`, 2);
  return { name, library: path };
}
