// Stage: test. The hardware proof on real programs: SQLite's shell, Lua's interpreter and memcached run with debug registers and under the recorder at
// once, and every access that registers saw in instrumented code is in the trace, in its order. Run as `node dist/test/real/validate.js [NAME...]`.
import { writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import type { HistoriesValidation } from '../../src/validate/validate-histories.js';
import { buildSqlite, conclude, DPROF, DPROF_CC, isFresh, realFolder, ROOT, run, scratchFolder } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';
import { buildDescribedMemcached, watchMemcached } from './watched-memcached.js';

const SCRIPT = `local t = {}
for i = 1, 2000 do t[i] = {name = "k" .. i, value = i} end
local s = 0
for r = 1, 3 do
  for _, v in ipairs(t) do s = s + v.value end
  for i = 1, 500 do t[i] = {name = "z" .. i, value = r} end
end
table.sort(t, function(a, b) return a.name < b.name end)
print(s)
`;

interface Files {
  readonly trace: string;
  readonly histories: string;
}

const folder = scratchFolder();

/** Objects are let go soon, so that many are watched. */
const OFTEN = ['--one-in', '1', '--longest', '2'];

const flagsFor = ({ trace, histories }: Files): string[] => ['--quiet', '--trace', trace, '-o', histories];

const PROGRAMS: Readonly<Record<string, (files: Files) => Promise<void> | void>> = {
  sqlite: (files) => {
    const workload = `${folder}/workload.sql`;
    writeFileSync(workload, sqliteWorkload(500));
    // Without lookaside memory all objects come from malloc.
    run([DPROF, 'history', ...flagsFor(files), ...OFTEN, '--', buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']), '-lookaside', '0', '0', ':memory:', `.read ${workload}`]);
  },
  lua: (files) => {
    const program = `${realFolder('lua5.4')}/lua-dprof`;
    if (!isFresh(program)) run(['sh', `${ROOT}/test/real/build-lua.sh`, DPROF_CC, program, '-g']);
    const script = `${folder}/script.lua`;
    writeFileSync(script, SCRIPT);
    run([DPROF, 'history', ...flagsFor(files), ...OFTEN, '--', program, script]);
  },
  memcached: async (files) => {
    const status = await watchMemcached(buildDescribedMemcached(), 500, ['history', ...flagsFor(files), '--type', 'struct _stritem', '--one-in', '2', '--longest', '20']);
    if (status !== 0) throw new Error(`memcached ended with ${status}`);
  },
};

const faults: string[] = [];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PROGRAMS)) {
  const files = { trace: `${folder}/${name}.dptrace`, histories: `${folder}/${name}.dphistories` };
  await PROGRAMS[name](files);
  const found = JSON.parse(spawnSync(DPROF, ['validate', files.trace, files.histories, '--format', 'json'], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout) as HistoriesValidation;
  process.stdout.write(`${name}\n${spawnSync(DPROF, ['validate', files.trace, files.histories], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout}\n`);
  if (found.verdict !== 'agrees') faults.push(`${name}: ${found.verdict}`);
  if (found.elements.inTrace < 100) faults.push(`${name}: registers saw ${found.elements.inTrace} accesses that are in the trace`);
  if (found.objects.inTrace !== found.objects.watched) faults.push(`${name}: ${found.objects.watched - found.objects.inTrace} objects are not in the trace`);
}
conclude('validate', faults);
