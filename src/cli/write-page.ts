// Stage: command line. A page of HTML as a file, or to standard output.

import { DprofError } from '../base/dprof-error.js';
import { openOutput } from '../base/output-file.js';
import { ProgressLine } from './progress.js';

/** For commands that print, and that write a page if one is asked for. */
export function checkPage(
  { format, output }: { readonly format: string; readonly output?: string },
  example: string,
): void {
  if (format === 'html' && output === undefined)
    throw new DprofError('--format html writes a file, and none is named', `name it: -o ${example}`, 2);
  if (format !== 'html' && output !== undefined)
    throw new DprofError(
      `-o is for --format html, and ${format} is printed`,
      `give --format html, or leave -o out and redirect: > ${output}`,
      2,
    );
}

/** `render` says which view it is at. */
export async function writePage(
  render: (onView: (name: string) => void) => Promise<string>,
  path: string,
): Promise<void> {
  const page = Buffer.from(await withProgressOfViews(render));
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
