// Stage: test. gcc's torture tests (Debian's gcc-12-source, gcc.c-torture/execute) at -O0 to -O3: every program that
// clang-19 compiles behaves under dprof-cc, dormant and recorded, as it does under clang-19. Run as `node
// dist/test/real/torture.js [-ON...] [NAME...]`.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { conclude, DPROF_CC, realFolder, ROOT, run, scratchFolder } from './real-program.js';
import { judgeAll, type Job } from './torture-programs.js';

const chosen = process.argv.slice(2);
const chosenLevels = chosen.filter((word) => word.startsWith('-O'));
const levels = chosenLevels.length ? chosenLevels : ['-O0', '-O1', '-O2', '-O3'];
const names = chosen.filter((word) => !word.startsWith('-'));

const home = realFolder('gcc-torture');
run(['sh', resolve(ROOT, 'test/real/fetch-gcc-torture.sh'), home]);
const programs = ['', 'ieee/']
  .flatMap((folder) =>
    readdirSync(resolve(home, 'execute', folder))
      .filter((name) => name.endsWith('.c'))
      .map((name) => `${folder}${name}`),
  )
  .filter((name) => names.length === 0 || names.includes(name))
  .sort();
const jobs = levels.flatMap((level) =>
  programs.map((name): Job => ({ name, level, source: resolve(home, 'execute', name) })),
);

const tools = {
  wrapper: DPROF_CC,
  recorder: resolve(process.env.DPROF_BUILD ?? resolve(ROOT, 'build'), 'bin/dprof-record'),
};
const { counts, faults } = await judgeAll(jobs, scratchFolder(), tools, (done, differ) => {
  if (done % 100 === 0) process.stderr.write(`\r${done} of ${jobs.length}, ${differ} differ `);
});
process.stderr.write('\n');
for (const [kind, count] of [...counts].sort()) process.stdout.write(`${kind}: ${count}\n`);
conclude('gcc torture', faults);
