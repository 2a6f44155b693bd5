// Stage: command line -> what-if. The name of an allocator, or a library's file, to what a process loads.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { ProcessInfo } from '../trace/trace-reader.js';
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

const GLIBC: AllocatorChoice = { name: 'glibc' };

/** The one that the run had; glibc in its place if it is not here, or was in the program itself. */
export function allocatorOfRun({ allocator }: ProcessInfo): AllocatorChoice {
  if (typeof allocator !== 'string' || /^libc[.-]/.test(basename(allocator)) || !existsSync(allocator)) return GLIBC;
  const known = Object.keys(LIBRARIES).find((name) => basename(allocator).startsWith(`lib${name}`));
  return { name: known ?? allocator, library: allocator };
}

/** Names of those that are here, and not the run's. */
export function otherAllocators(ofRun: AllocatorChoice): string[] {
  const isThere = (name: string): boolean => {
    try {
      findAllocator(name);
      return true;
    } catch {
      return false;
    }
  };
  return [OWN_LINES, ...Object.keys(LIBRARIES).filter((name) => name !== ofRun.name && isThere(name))];
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
