// Stage: test. How many samples are enough: SQLite's shell and memcached, drawn from their exact runs. With 100,000
// samples drawn alike, the shares of the ten largest types are within two points. Run as `node
// dist/test/real/resample.js [--write | --render] [NAME...]`; with --write, its numbers become those of
// docs/how-many-samples.md, tables and plots; with --render, those are made again of the numbers that are there.
import { writeFileSync } from 'node:fs';
import type { Resampling } from '../../src/hardware/validate/resample.js';
import { startChromium } from '../html/browser.js';
import { buildSqlite, conclude, DPROF, DPROF_CC, run, scratchFolder } from './real-program.js';
import { drawingsOf, DRAWINGS, PLOTS, writeDrawing, writeTables, type DrawnProgram } from './samples-page.js';
import { renderPlots, writePlots } from './samples-plots.js';
import { sqliteWorkload } from './sqlite-workload.js';
import { buildDescribedMemcached, watchMemcached } from './watched-memcached.js';

const MOST_POINTS = 2;
/** CachePerf's, of loads; stores are drawn at two and a half times that. */
const DEFAULT_PERIOD = '20000';
const SQLITE_ROWS = 20_000;
const REQUESTS_PER_CONNECTION = 40_000;
const folder = scratchFolder();

const PROGRAMS: Readonly<Record<DrawnProgram, (trace: string) => Promise<void> | void>> = {
  sqlite: (trace) => {
    const workload = `${folder}/workload.sql`;
    writeFileSync(workload, sqliteWorkload(SQLITE_ROWS));
    run([
      DPROF,
      'record',
      '-o',
      trace,
      '--',
      buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']),
      ':memory:',
      `.read ${workload}`,
    ]);
  },
  memcached: async (trace) => {
    const status = await watchMemcached(buildDescribedMemcached(), REQUESTS_PER_CONNECTION, ['record', '-o', trace]);
    if (status !== 0) throw new Error(`memcached ended with ${status}`);
  },
};

const words = process.argv.slice(2);
const [writes, renders] = ['--write', '--render'].map((flag) => words.includes(flag));
const asked = words.filter((word) => !word.startsWith('--'));
const faults: string[] = [];
for (const name of renders ? [] : DRAWINGS.filter((one) => asked.length === 0 || asked.includes(one))) {
  const trace = `${folder}/${name}.dptrace`;
  await PROGRAMS[name](trace);
  const draw = (...flags: string[]): Resampling =>
    JSON.parse(run([DPROF, 'validate', '--resample', trace, '--format', 'json', ...flags])) as Resampling;
  const began = performance.now();
  const drawn = draw();
  process.stdout.write(
    `${name}: ${drawn.exact.references} references, drawn in ${((performance.now() - began) / 1000).toFixed(0)} s\n`,
  );
  for (const {
    sampler,
    samples,
    curve: [{ measures }],
  } of drawn.samplers) {
    process.stdout.write(
      `${sampler}: ${samples} samples, ${Object.entries(measures)
        .map(([measure, { worstPoints }]) => `${measure} ${worstPoints?.toFixed(2) ?? '-'}`)
        .join(', ')} points off at worst\n`,
    );
  }
  const { worstPoints } = drawn.samplers.find(({ sampler }) => sampler === 'even')!.curve[0].measures.references;
  if ((worstPoints ?? Infinity) > MOST_POINTS) faults.push(`${name}: ${worstPoints} points off, drawn alike`);
  if (writes) writeDrawing(name, drawn, draw('--period', DEFAULT_PERIOD));
}
if (writes || renders) {
  const browser = await startChromium();
  try {
    writeTables();
    for (const [name, { bySamples }] of drawingsOf())
      writePlots(PLOTS, name, await renderPlots(browser, folder, bySamples));
  } finally {
    await browser.close();
  }
}
conclude('resample', faults);
