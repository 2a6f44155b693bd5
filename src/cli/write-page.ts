// Stage: command line. A page of HTML as a file, or to standard output.

import { openOutput } from '../base/output-file.js';
import { ProgressLine } from './progress.js';
import { StandardOutput } from './standard-output.js';

/** `render` says which view it is at. */
export async function writePage(render: (onView: (name: string) => void) => Promise<string>, path: string): Promise<void> {
  const page = Buffer.from(await withProgressOfViews(render));
  if (path === '-') return new StandardOutput().writeBytes(page);
  const output = openOutput(path, 'the report');
  try {
    output.write(page);
    output.finish();
  } catch (error) {
    throw output.fail(error);
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
