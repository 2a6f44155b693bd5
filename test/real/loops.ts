// Stage: test. Loops that are recorded once make the references that they make when each iteration is recorded, in the same order: every example
// and real programs, compiled both ways. Run as `node dist/test/real/loops.js [NAME...]`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { BOTH_WAYS, compareBothWays, EXAMPLES, LAYOUT } from './loops-comparison.js';
import { conclude, ROOT, run, scratchFolder } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';

interface Program {
  readonly name: string;
  readonly build: (compiler: string, program: string, flags: readonly string[]) => readonly string[];
  readonly words: readonly string[];
}

const scratch = scratchFolder();
const sqlite = resolve(scratch, 'workload.sql');
writeFileSync(sqlite, sqliteWorkload(400));
const own = (source: string, ...libraries: string[]) => (compiler: string, program: string, flags: readonly string[]): string[] =>
  [compiler, '-O2', ...flags, '-pthread', resolve(ROOT, source), '-o', program, ...libraries];
const script = (name: string, ...more: string[]) => (compiler: string, program: string, flags: readonly string[]): string[] =>
  ['sh', resolve(ROOT, 'test/real', name), compiler, program, ...more, ...flags];

const LUA = `local t = {} for i = 1, 3000 do t[i] = i * 7919 % 10007 end for i = 1, 2999 do if t[i] > t[i + 1] then t[i], t[i + 1] = t[i + 1], t[i] end end
  local n = 0 for w in table.concat(t, ' '):gmatch('%d+') do n = n + #w end print(n)`;

const PROGRAMS: readonly Program[] = [
  ...EXAMPLES.map((source) => ({ name: basename(source), build: own(source, ...(source.endsWith('.cpp') ? ['-lstdc++'] : [])), words: [] })),
  { name: 'stencil', build: own('bench/programs/stencil.c'), words: ['1'] },
  { name: 'matmul', build: own('bench/programs/matmul.c'), words: ['1', '2'] },
  { name: 'tree', build: own('bench/programs/tree.c'), words: ['20000'] },
  { name: 'reduction', build: own('bench/programs/reduction.c'), words: ['1'] },
  // Its hashes begin with what time it is, and its sort asks the clock.
  { name: 'lua', build: script('build-lua.sh', '-Dluai_makeseed(L)=1'), words: ['-e', LUA] },
  { name: 'zstd', build: script('build-zstd.sh', resolve(ROOT, 'bench/programs/compress.c')), words: ['0.05'] },
  { name: 'sqlite', build: script('build-sqlite.sh'), words: [':memory:', `.read ${sqlite}`] },
];

const names = process.argv.slice(2);
const faults: string[] = [];
for (const { name, build, words } of PROGRAMS.filter((program) => names.length === 0 || names.includes(program.name))) {
  const programs = BOTH_WAYS.map(({ environment, suffix }) => {
    mkdirSync(resolve(scratch, suffix), { recursive: true });
    const path = resolve(scratch, suffix, name.replace(/\W/g, '-'));
    run(['env', ...environment, ...build(resolve(ROOT, 'bin/dprof-cc'), path, ['-g1', ...LAYOUT])]);
    return path;
  });
  const { records, fault } = compareBothWays(programs, words);
  process.stdout.write(`${name.padEnd(20)} ${String(records).padStart(10)} records: ${fault ?? 'the same'}\n`);
  if (fault) faults.push(`${name}: ${fault}`);
}
conclude('loops', faults);
