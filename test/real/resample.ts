// Stage: test. How many samples are enough: SQLite's shell and memcached, drawn from their exact runs. With 100,000 samples drawn alike, the shares of the
// ten largest types are within two points. Run as `node dist/test/real/resample.js [NAME...]`; prints the tables of docs/validate.md.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Resampling } from '../../src/validate/resample.js';
import { MEASURES } from '../../src/validate/sampled-shares.js';
import { buildSqlite, conclude, DPROF, DPROF_CC, run, scratchFolder } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';
import { buildDescribedMemcached, watchMemcached } from './watched-memcached.js';

const MOST_POINTS = 2;
const folder = scratchFolder();

const PROGRAMS: Readonly<Record<string, (trace: string) => Promise<void> | void>> = {
  sqlite: (trace) => {
    const workload = `${folder}/workload.sql`;
    writeFileSync(workload, sqliteWorkload(5000));
    run([DPROF, 'record', '-o', trace, '--', buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']), ':memory:', `.read ${workload}`]);
  },
  memcached: async (trace) => {
    const status = await watchMemcached(buildDescribedMemcached(), 6000, ['record', '-o', trace]);
    if (status !== 0) throw new Error(`memcached ended with ${status}`);
  },
};

const faults: string[] = [];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PROGRAMS)) {
  const trace = `${folder}/${name}.dptrace`;
  await PROGRAMS[name](trace);
  const print = (format: string): string => spawnSync(DPROF, ['validate', '--resample', trace, '--format', format], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;
  process.stdout.write(`${name}\n${print('text')}\n`);
  const { samplers } = JSON.parse(print('json')) as Resampling;
  for (const { sampler, samples, curve } of samplers) {
    const [{ measures }] = curve;
    process.stdout.write(`${sampler}: ${samples} samples, ${MEASURES.map((measure) => `${measure} ${measures[measure].worstPoints?.toFixed(2) ?? '-'}`).join(', ')} points off at worst\n`);
    if (sampler === 'even' && (measures.references.worstPoints ?? Infinity) > MOST_POINTS) faults.push(`${name}: ${measures.references.worstPoints} points off, drawn alike`);
  }
}
conclude('resample', faults);
