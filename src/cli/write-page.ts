// Stage: command line. A page of HTML as a file.

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { ProgressLine } from './progress.js';

/** Under its name when it is whole. `render` says which view it is at. */
export async function writePage(render: (onView: (name: string) => void) => Promise<string>, path: string): Promise<void> {
  const page = await withProgressOfViews(render);
  const incomplete = `${path}.incomplete`;
  try {
    writeFileSync(incomplete, page);
    renameSync(incomplete, path);
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw new DprofError(`cannot write ${path} (${(error as NodeJS.ErrnoException).code})`, 'name a file in a folder that can be written to: -o report.html');
  }
}

async function withProgressOfViews(render: (onView: (name: string) => void) => Promise<string>): Promise<string> {
  let view = '';
  const line = new ProgressLine((seconds) => `writing the report: ${view}, ${seconds.toFixed(0)} s`);
  try {
    return await render((name) => (view = name));
  } finally {
    line.stop();
  }
}
