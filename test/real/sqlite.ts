// Stage: test. SQLite's shell over at least 100,000 rows: the same output as the plain program, and a data profile that
// names SQLite's own types. Run as `node dist/test/real/sqlite.js [ROWS]`.
import { writeFileSync } from 'node:fs';
import {
  buildSqlite,
  conclude,
  DPROF,
  DPROF_CC,
  findFaults,
  formatTopTypes,
  readDataProfile,
  run,
  scratchFolder,
} from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';

const EXPECTED_TYPES = [
  'struct sqlite3_value',
  'struct BtCursor',
  'struct MemPage',
  'struct VdbeCursor',
  'struct VdbeOp',
  'struct Vdbe',
  'struct SorterRecord',
];

const rows = Number(process.argv[2] ?? 100_000);
const folder = scratchFolder();
const plain = buildSqlite('clang-19', 'sqlite3-plain', ['-g']);
const instrumented = buildSqlite(DPROF_CC, 'sqlite3-dprof', ['-g']);

const workload = `${folder}/workload.sql`;
writeFileSync(workload, sqliteWorkload(rows));
const query = [':memory:', `.read ${workload}`];
const expected = run([plain, ...query]);
const dormant = run([instrumented, ...query]);
const trace = `${folder}/sqlite.dptrace`;
const recorded = run([DPROF, 'record', '-o', trace, '--', instrumented, ...query]);

const profile = readDataProfile(trace);
process.stdout.write(
  `SQLite, ${rows} rows: ${profile.totals.references} references, ${profile.totals.levels.l1.misses} L1 misses\n`,
);
process.stdout.write(`${formatTopTypes(profile, 15)}\ntyping ${JSON.stringify(profile.typing)}\n`);
const faults = findFaults(profile, EXPECTED_TYPES);
if (dormant !== expected) faults.push('the dormant program prints something else');
if (recorded !== expected) faults.push('the recorded program prints something else');
conclude('sqlite', faults);
