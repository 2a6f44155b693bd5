// Stage: test. Hits and misses of every level, of examples and other programs, by dprof and by a simulator that no one
// here wrote: count for count, for several geometries. Run as `node dist/test/real/independent-caches.js`. Threads
// share the one core, so coherence has no part in it.

import { resolve } from 'node:path';
import { countHere, countIndependently, fetchSimulator, GEOMETRIES } from './independent-simulator.js';
import { conclude, DPROF, DPROF_CC, ROOT, run, scratchFolder } from './real-program.js';

interface Program {
  readonly name: string;
  readonly source: string;
  readonly args: readonly string[];
  readonly flags?: readonly string[];
}

const PROGRAMS: readonly Program[] = [
  ...['capacity', 'conflict', 'false-sharing', 'producer-consumer'].map((name) => ({
    name,
    source: `examples/${name}/${name}.c`,
    args: [],
  })),
  { name: 'matmul-160', source: 'examples/matmul-160/matmul-160.c', args: [], flags: ['-DN=64'] },
  { name: 'stencil', source: 'bench/programs/stencil.c', args: ['1'] },
  { name: 'tree', source: 'bench/programs/tree.c', args: ['5000'] },
];

fetchSimulator();
const scratch = scratchFolder();
const faults: string[] = [];
for (const { name, source, args, flags = [] } of PROGRAMS) {
  const [program, trace] = [resolve(scratch, name), resolve(scratch, `${name}.dptrace`)];
  run([DPROF_CC, '-O2', '-g', '-pthread', ...flags, resolve(ROOT, source), '-o', program]);
  run([DPROF, 'record', '-o', trace, '--', program, ...args]);
  for (const geometry of GEOMETRIES) {
    const [here, theirs] = [countHere(trace, geometry), countIndependently(trace, geometry)].map((counts) =>
      JSON.stringify(counts),
    );
    const { line, l1, l2, llc } = geometry;
    process.stdout.write(
      `${name}, lines of ${line}, ${l1} ${l2} ${llc}: ` +
        `${here === theirs ? `equal: ${here}` : `DIFFERENT: dprof ${here}, pycachesim ${theirs}`}\n`,
    );
    if (here !== theirs) faults.push(`${name}, ${l1} ${l2} ${llc}`);
  }
}
conclude('independent caches', faults);
