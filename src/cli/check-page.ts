// Stage: command line. `dprof check --html`: a page for each program that failed, for reviewers: compared with the last
// run that passed, or if none is kept the report of the run.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { buildDiff } from '../diff/diff.js';
import { renderComparison, renderHtml } from '../html/html-report.js';
import { readProfile } from '../profile/profile-reader.js';
import { countObjects } from '../profile/object-source.js';
import { writeProfile } from '../profile/profile-writer.js';
import type { Profile } from '../profile/profile.js';
import { readSources } from './source-files.js';
import { writePage } from './write-page.js';

const MOST_PATHS = 100;
const MOST_OBJECTS = 200_000;

/** `passedAt`: where the last profile that passed is kept, which need not be. Returns the page's file. */
export async function writeCheckPage(
  name: string,
  profile: Profile,
  passedAt: string,
  folder: string,
): Promise<string> {
  const page = pageOf(name, folder);
  makeFolder(folder);
  const passed = readPassed(passedAt);
  if (passed !== undefined) {
    const diff = buildDiff({ name: `${name}, when it passed`, profile: passed }, { name, profile }, {});
    await writePage((onView) => renderComparison(diff, onView), page);
  } else {
    const read = (files: readonly string[]): ReturnType<typeof readSources> =>
      readSources(files, { files: profile.files }, profile.run.recordedAt);
    await writePage((onView) => renderHtml(profile, { readSources: read, mostPaths: MOST_PATHS }, onView), page);
  }
  return page;
}

function pageOf(name: string, folder: string): string {
  return join(folder, `${name}.html`);
}

/** Of a check that failed earlier. */
export function removeCheckPage(name: string, folder: string): void {
  const page = pageOf(name, folder);
  if (existsSync(page)) rmSync(page);
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

/** One of very many objects is not kept: it would take longer than the run. */
export async function keepPassed(profile: Profile, path: string): Promise<void> {
  makeFolder(dirname(path));
  if (countObjects(profile) <= MOST_OBJECTS) await writeProfile(profile, path);
  else rmSync(path, { force: true });
}
