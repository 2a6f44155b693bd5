// page/ -> dist/html: the script and the style that `dprof html` writes into each report, and the style that the
// plotting library puts into its charts, which the report's Content-Security-Policy allows by its hash.

import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['page/page.ts', 'page/page.css'],
  outdir: 'dist/html',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
});

const plot = readFileSync('node_modules/@observablehq/plot/src/plot.js', 'utf8');
const className = /return "(plot-\w+)"/.exec(readFileSync('node_modules/@observablehq/plot/src/style.js', 'utf8'))?.[1];
const chartStyle = /append\("style"\)\.text\(\s*`([^`]*)`/.exec(plot)?.[1];
if (className === undefined || chartStyle === undefined)
  throw new Error(
    'bundle-page: @observablehq/plot keeps its style elsewhere now; look for append("style") in its source',
  );
writeFileSync('dist/html/chart.css', chartStyle.replaceAll('${className}', className));
