// Stage: case studies. Which there are, and how their programs are built.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Place } from './page.js';

export const STUDIES = ['transmit-queue', 'accept-queue', 'shared-statistics', 'aligned-buffers'] as const;
export type Study = (typeof STUDIES)[number];

/** This runs from dist/examples/case-studies, or as a test from where it lies. */
export const ROOT = resolve(import.meta.dirname, import.meta.dirname.includes('/dist/') ? '../../..' : '../..');
export const SOURCES = join(ROOT, 'examples/case-studies');

export function pageOf(study: Study): string {
  return join(SOURCES, study, 'README.md');
}

/** Before and after, of all studies; `out` gets a folder for each. */
export function buildStudies(out: string): void {
  execFileSync('make', ['-sB', '-C', SOURCES, `CC=${join(ROOT, 'bin/dprof-cc')}`, `OUT=${out}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

export function placeOf(study: Study, out: string): Place {
  return { folder: join(out, study), bin: join(ROOT, 'bin') };
}
