// Every TypeScript file -> dist, one JavaScript file each. Types are not looked at here: npm run check and npm test do that, with tsc.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const FOLDERS = ['src', 'page', 'workers', 'bench', 'test', 'examples'];
const filesUnder = (folder) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).map((file) => join(folder, file)) : [];

const sources = FOLDERS.flatMap(filesUnder).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
await build({
  entryPoints: sources,
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  platform: 'node',
  sourcemap: true,
  tsconfig: 'tsconfig.json',
  logLevel: 'warning',
});

// What was compiled from a file that is gone would still be found by name.
const kept = new Set(sources.map((file) => join('dist', file.replace(/[.]ts$/, '.js'))));
for (const folder of FOLDERS)
  for (const file of filesUnder(join('dist', folder)))
    if (/[.]js([.]map)?$/.test(file) && !kept.has(file.replace(/[.]map$/, ''))) rmSync(file);
