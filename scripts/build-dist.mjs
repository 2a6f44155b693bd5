// TypeScript -> dist. Types are not looked at here: npm run check and npm test do that, with tsc.
//   dist/command         what bin/dprof starts: main.js and the workers, bundled, since loading 200 small files takes
//                        longer than a report; and only-COMMAND.js, one file, for commands that are to begin at once.
//                        entry.cjs is what threads begin with
//   dist/src, dist/test… one JavaScript file for each source file: what bench/ and the scripts under test/ run

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, parse } from 'node:path';
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

/** Modules that are imported on demand, and here never. */
function leaveOut(isOut) {
  const resolve = ({ kind, path }) =>
    kind === 'dynamic-import' && isOut(path) ? { path: './main.js', external: true } : undefined;
  return { name: 'leave-out', setup: ({ onResolve }) => onResolve({ filter: /./ }, resolve) };
}

// These packages find files of their own beside themselves.
const entries = [
  ['main', 'src/cli/command-line.ts'],
  ...readdirSync('workers')
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [parse(file).name, `workers/${file}`]),
];
const ALONE = ['record', 'replay', 'report', 'run'];
// With files beside it for what it seldom needs.
const IN_PARTS = ['check'];
const bundled = {
  outdir: 'dist/command',
  bundle: true,
  external: ['@duckdb/node-api', '@duckdb/node-bindings', 'esbuild', 'lz4-napi', 'piscina'],
  // Packages that are CommonJS ask for Node's modules by require().
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
};
rmSync('dist/command', { recursive: true, force: true });
await build({ ...bundled, entryPoints: Object.fromEntries(entries), splitting: true });
await build({
  entryPoints: ['workers/entry.cts'],
  outdir: 'dist/command',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
});
for (const command of [...ALONE, ...IN_PARTS])
  await build({
    ...bundled,
    splitting: IN_PARTS.includes(command),
    chunkNames: `only-${command}-[name]-[hash]`,
    entryPoints: { [`only-${command}`]: 'src/cli/command-line.ts' },
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [leaveOut((path) => /^[.][/].*-command[.]js$/.test(path) && path !== `./${command}-command.js`)],
  });

// What was compiled from a file that is gone would still be found by name.
const kept = new Set(sources.map((file) => join('dist', file.replace(/[.]ts$/, '.js'))));
for (const folder of FOLDERS)
  for (const file of filesUnder(join('dist', folder)))
    if (/[.]js([.]map)?$/.test(file) && !kept.has(file.replace(/[.]map$/, ''))) rmSync(file);
