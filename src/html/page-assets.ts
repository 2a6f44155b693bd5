// Stage: views -> HTML. The page's script and style, as scripts/bundle-page.mjs made them of page/.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { DprofError } from '../base/dprof-error.js';

export interface PageAssets {
  readonly script: string;
  readonly style: string;
  /**
   * The style that the plotting library puts into each chart. The page allows it by its hash and does not contain it.
   */
  readonly chartStyle: string;
}

function findBundle(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const bundle = join(folder, 'dist/html');
    if (existsSync(bundle)) return bundle;
    if (folder === dirname(folder))
      throw new DprofError('the HTML page is not bundled', "run 'npm run setup' in dprof's folder");
  }
}

export function readPageAssets(): PageAssets {
  const bundle = findBundle();
  const read = (name: string): string => readFileSync(join(bundle, name), 'utf8');
  return { script: read('page.js'), style: read('page.css'), chartStyle: read('chart.css') };
}

/** As a Content-Security-Policy names what may stand inline. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
