// Stage: test. The programs of the hardware proof: two small ones, SQLite's shell, Lua's interpreter and memcached,
// each run once with debug registers and under the recorder at the same time.

import { writeFileSync } from 'node:fs';
import {
  buildSqlite,
  compiled,
  DPROF,
  DPROF_CC,
  isFresh,
  realFolder,
  ROOT,
  run,
  scratchFolder,
} from './real-program.js';
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

export interface WatchedRun {
  readonly trace: string;
  readonly histories: string;
}

const folder = scratchFolder();

/** Objects are let go soon, so that many are watched. */
const OFTEN = ['--one-in', '1', '--longest', '2'];

const flagsFor = ({ trace, histories }: WatchedRun): string[] => ['--quiet', '--trace', trace, '-o', histories];

function watchSmall(
  source: string,
  flags: readonly string[],
  ...words: readonly string[]
): (files: WatchedRun) => void {
  return (files) => {
    const program = `${folder}/${source}-watched`;
    run(
      compiled(`test/hardware/histories/programs/${source}`)(
        source.endsWith('.cpp') ? DPROF_CC.replace(/cc$/, 'c++') : DPROF_CC,
        program,
        ['-g'],
      ),
    );
    run([DPROF, 'history', ...flagsFor(files), '--one-in', '1', ...flags, '--', program, ...words]);
  };
}

const PROGRAMS: Readonly<Record<string, (files: WatchedRun) => Promise<void> | void>> = {
  packets: watchSmall('packets.c', ['--type', 'struct packet', '--longest', '0'], '100', 'plain'),
  nodes: watchSmall('nodes.cpp', ['--type', 'ns::Node']),
  sqlite: (files) => {
    const workload = `${folder}/workload.sql`;
    writeFileSync(workload, sqliteWorkload(500));
    // Without lookaside memory all objects come from malloc.
    run([
      DPROF,
      'history',
      ...flagsFor(files),
      ...OFTEN,
      '--',
      buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']),
      '-lookaside',
      '0',
      '0',
      ':memory:',
      `.read ${workload}`,
    ]);
  },
  lua: (files) => {
    const program = `${realFolder('lua5.4')}/lua-dprof`;
    if (!isFresh(program)) run(['sh', `${ROOT}/test/real/build-lua.sh`, DPROF_CC, program, '-g']);
    const script = `${folder}/script.lua`;
    writeFileSync(script, SCRIPT);
    run([DPROF, 'history', ...flagsFor(files), ...OFTEN, '--', program, script]);
  },
  memcached: async (files) => {
    const status = await watchMemcached(buildDescribedMemcached(), 500, [
      'history',
      ...flagsFor(files),
      '--type',
      'struct _stritem',
      '--one-in',
      '2',
      '--longest',
      '20',
    ]);
    if (status !== 0) throw new Error(`memcached ended with ${status}`);
  },
};

export const WATCHED = Object.keys(PROGRAMS);

/** The files of a run lie in a folder until the process ends. */
export async function watchProgram(name: string): Promise<WatchedRun> {
  const files = { trace: `${folder}/${name}.dptrace`, histories: `${folder}/${name}.dphistories` };
  await PROGRAMS[name](files);
  return files;
}
