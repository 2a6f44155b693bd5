// Stage: test. Loops that are recorded once make the references that they make when each iteration is recorded, in the
// same order: every example and real programs, compiled both ways. Run as `node dist/test/real/loops.js [NAME...]`.
import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { compareBothWays, EXAMPLES } from './loops-comparison.js';
import { byScript, compiled, conclude, ROOT, scratchFolder, type Build } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';

interface Program {
  readonly name: string;
  readonly build: Build;
  readonly words: readonly string[];
}

const scratch = scratchFolder();
const sqlite = resolve(scratch, 'workload.sql');
writeFileSync(sqlite, sqliteWorkload(400));
const LUA = `local t = {} for i = 1, 3000 do t[i] = i * 7919 % 10007 end for i = 1, 2999 do if t[i] > t[i + 1] then t[i], t[i + 1] = t[i + 1], t[i] end end
  local n = 0 for w in table.concat(t, ' '):gmatch('%d+') do n = n + #w end print(n)`;

const PROGRAMS: readonly Program[] = [
  ...EXAMPLES.map((source) => ({
    name: basename(source),
    build: compiled(source, ...(source.endsWith('.cpp') ? ['-lstdc++'] : [])),
    words: [],
  })),
  { name: 'stencil', build: compiled('bench/programs/stencil.c'), words: ['1'] },
  { name: 'matmul', build: compiled('bench/programs/matmul.c'), words: ['1', '2'] },
  { name: 'tree', build: compiled('bench/programs/tree.c'), words: ['20000'] },
  { name: 'reduction', build: compiled('bench/programs/reduction.c'), words: ['1'] },
  // Its hashes begin with what time it is, and its sort asks the clock.
  { name: 'lua', build: byScript('build-lua.sh', '-Dluai_makeseed(L)=1'), words: ['-e', LUA] },
  { name: 'zstd', build: byScript('build-zstd.sh', resolve(ROOT, 'bench/programs/compress.c')), words: ['0.05'] },
  { name: 'sqlite', build: byScript('build-sqlite.sh'), words: [':memory:', `.read ${sqlite}`] },
];

const names = process.argv.slice(2);
const faults: string[] = [];
for (const { name, build, words } of PROGRAMS.filter((program) => names.length === 0 || names.includes(program.name))) {
  const { records, fault } = compareBothWays(build, name.replace(/\W/g, '-'), words, scratch);
  process.stdout.write(`${name.padEnd(20)} ${String(records).padStart(10)} records: ${fault ?? 'the same'}\n`);
  if (fault) faults.push(`${name}: ${fault}`);
}
conclude('loops', faults);
