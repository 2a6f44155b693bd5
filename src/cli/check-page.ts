// Stage: command line. `dprof check --html`: a page for each program that failed, for reviewers: compared with the last
// run that passed, or if none is kept the report of the run.

import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { buildDiff } from '../diff/diff.js';
import { renderComparison, renderHtml } from '../html/html-report.js';
import { readProfile } from '../profile/profile-reader.js';
import { writeProfile } from '../profile/profile-writer.js';
import type { Profile } from '../profile/profile.js';
import { printError } from './print-error.js';
import { readSources } from './source-files.js';
import { writePage } from './write-page.js';

const MOST_PATHS = 100;

/**
 * `passedAt`: where the last profile that passed is kept, which need not be. Returns the page's file; null if it cannot
 * be written, which is said: what the check has found is worth more.
 */
export async function writeCheckPage(
  name: string,
  profile: Profile,
  passedAt: string,
  folder: string,
): Promise<string | null> {
  const page = pageOf(name, folder);
  try {
    makeFolder(folder);
    await renderPage(name, profile, passedAt, page);
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    printError(error);
    return null;
  }
  return page;
}

async function renderPage(name: string, profile: Profile, passedAt: string, page: string): Promise<void> {
  const passed = readPassed(passedAt);
  if (passed !== undefined) {
    const diff = buildDiff({ name: `${name}, when it passed`, profile: passed }, { name, profile }, {});
    await writePage((onView) => renderComparison(diff, onView), page);
  } else {
    const read = (files: readonly string[]): ReturnType<typeof readSources> =>
      readSources(files, { files: profile.files }, profile.run.recordedAt);
    await writePage((onView) => renderHtml(profile, { readSources: read, mostPaths: MOST_PATHS }, onView), page);
  }
}

function pageOf(name: string, folder: string): string {
  return join(folder, `${name}.html`);
}

/** Of a check that failed earlier. */
export function removeCheckPage(name: string, folder: string): void {
  const page = pageOf(name, folder);
  if (existsSync(page) && statSync(page).isFile()) rmSync(page);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new DprofError(`no folder ${path} can be made: ${(error as NodeJS.ErrnoException).code}`, 'name another');
  }
}

/** undefined: there is none, or another version of dprof wrote it. */
function readPassed(path: string): Profile | undefined {
  try {
    return readProfile(path);
  } catch {
    return undefined;
  }
}

/**
 * One with sums of objects is not kept: a page tells them apart. Where nothing can be written, a later page is a
 * report, and what passed has passed all the same.
 */
export async function keepPassed(profile: Profile, path: string): Promise<void> {
  try {
    if (profile.objectsAreSums) rmSync(path, { force: true });
    else await writeProfile(profile, path);
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
  }
}
