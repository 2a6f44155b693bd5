// TypeScript -> dist. Types are not looked at here: npm run check and npm test do that, with tsc.
//   dist/command         what bin/dprof starts: all of the command line in one file, since loading 200 small files
//                        takes longer than a report, and beside it what V8 made of it, so that it is not compiled
//                        again; and the workers, bundled. entry.cjs is what threads begin with
//   dist/src, dist/test… one JavaScript file for each source file: what bench/ and the scripts under test/ run

import { execFileSync } from 'node:child_process';
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

const command = { outdir: 'dist/command', platform: 'node', target: 'node20', logLevel: 'warning' };
const bundled = {
  ...command,
  bundle: true,
  // These packages find files of their own beside themselves.
  external: ['@duckdb/node-api', '@duckdb/node-bindings', 'esbuild', 'lz4-napi', 'piscina'],
  sourcemap: true,
};
const workers = readdirSync('workers').filter((file) => file.endsWith('.ts'));
rmSync('dist/command', { recursive: true, force: true });
await Promise.all([
  build({
    ...bundled,
    entryPoints: workers.map((file) => `workers/${file}`),
    splitting: true,
    format: 'esm',
    // Packages that are CommonJS ask for Node's modules by require().
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  }),
  build({ ...command, entryPoints: ['workers/entry.cts'], outExtension: { '.js': '.cjs' }, format: 'cjs' }),
  build({
    ...bundled,
    entryPoints: { dprof: 'src/cli/command-line.ts' },
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    supported: { 'dynamic-import': false }, // code that V8 kept cannot
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' }, // createRequire() takes both
  }),
]);
// What V8 made of the command line, once it has loaded every command: bin/dprof keeps it.
execFileSync(process.execPath, ['bin/dprof', '--help'], { stdio: ['ignore', 'ignore', 'inherit'] });

// What was compiled from a file that is gone would still be found by name.
const kept = new Set(sources.map((file) => join('dist', file.replace(/[.]ts$/, '.js'))));
for (const folder of FOLDERS)
  for (const file of filesUnder(join('dist', folder)))
    if (/[.]js([.]map)?$/.test(file) && !kept.has(file.replace(/[.]map$/, ''))) rmSync(file);
