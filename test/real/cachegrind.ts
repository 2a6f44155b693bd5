// Stage: test. A check from outside: data references and first-level misses of single-threaded programs, by cachegrind
// and by dprof, side by side. Run as `node dist/test/real/cachegrind.js`.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compare, formatTable, missesOutside, unexplained, type Compared } from './cachegrind-comparison.js';
import { buildSqlite, conclude, DPROF_CC, realFolder, ROOT, run, scratchFolder } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';

interface Program {
  readonly name: string;
  readonly source: string;
  readonly args: readonly string[];
}

const PROGRAMS: readonly Program[] = [
  ...['matmul-160', 'conflict', 'capacity'].map((name) => ({ name, source: `examples/${name}/${name}.c`, args: [] })),
  { name: 'stencil', source: 'bench/programs/stencil.c', args: ['10'] },
  { name: 'tree', source: 'bench/programs/tree.c', args: ['100000'] },
];
const FLAGS = ['-O2', '-gdwarf-4'];
interface Expectation {
  readonly least: number;
  readonly most: number;
  readonly because: string;
}
/**
 * What is left of references once loads and stores of one instruction are counted as one, as a part of dprof's; and
 * where from.
 */
const LEFT: Readonly<Record<string, Expectation>> = {
  stencil: {
    least: -0.11,
    most: 0,
    because: 'unrolled and vectorised, two of ten loads are of the same bytes: the code generator makes them one',
  },
  tree: { least: 0, most: 0.1, because: 'registers that recursive functions save, return addresses' },
  sqlite: {
    least: 0,
    most: 0.8,
    because: 'registers that are spilled and saved, return addresses, constants and jump tables',
  },
};
const ACCURACY = 0.001;
const NOTHING: Expectation = { least: -ACCURACY, most: ACCURACY, because: 'main and its return address' };

run(['sh', resolve(ROOT, 'test/real/need-packages.sh'), 'valgrind']);
const scratch = scratchFolder();
const rows: Compared[] = PROGRAMS.map(({ name, source, args }) => {
  const [plain, instrumented] = ['clang-19', DPROF_CC].map((compiler, i) => {
    const program = resolve(scratch, `${name}-${i}`);
    run([compiler, ...FLAGS, resolve(ROOT, source), '-o', program]);
    return program;
  });
  return compare(name, plain, instrumented, args, ROOT, scratch);
});

const workload = resolve(scratch, 'workload.sql');
writeFileSync(workload, sqliteWorkload(2000));
const shells = ['clang-19', DPROF_CC].map((compiler) =>
  buildSqlite(compiler, `sqlite3-cachegrind-${compiler === DPROF_CC ? 'dprof' : 'plain'}`, ['-gdwarf-4']),
);
rows.push(compare('sqlite', shells[0], shells[1], [':memory:', `.read ${workload}`], realFolder('sqlite3'), scratch));

process.stdout.write(
  `data references (cachegrind: all and own; dprof), then first-level misses\n${formatTable(rows)}\n`,
);
const faults = rows.flatMap((row) => {
  const { least, most, because } = LEFT[row.name] ?? NOTHING;
  const [references, misses] = [unexplained(row), missesOutside(row)];
  process.stdout.write(`${row.name}: ${(100 * references).toFixed(2)} % left: ${because}\n`);
  return [
    ...(references < least || references > most
      ? [`${row.name}: cachegrind's references are ${(100 * references).toFixed(2)} % away from dprof's`]
      : []),
    ...(Math.abs(misses) > ACCURACY
      ? [`${row.name}: dprof's misses are ${(100 * misses).toFixed(2)} % outside cachegrind's`]
      : []),
  ];
});
conclude('cachegrind', faults);
