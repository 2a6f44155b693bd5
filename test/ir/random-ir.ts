// Stage: random IR. Many seeds: each module, compiled by clang-19 and by dprof-cc, computes what the interpreter
// computes, and at -O0 its references are the interpreter's, in order; at -O1 or -O2, with loops recorded once and
// iteration by iteration, they are the same. Run as `node dist/test/ir/random-ir.js [--builder] [FIRST-SEED [COUNT]]`.
// With --builder modules are built by LLVM 14's IR builder (llvm-bindings, which is installed for it), of what that
// builder can write, and compiled at -O0 only; without, as text for LLVM 19.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { ROOT } from '../real/real-program.js';
import {
  Comparison,
  compareReferences,
  compileHarness,
  describeReferences,
  Difference,
  resultOf,
} from './comparison.js';
import { BUILDER, generateModule, WHOLE } from './generator.js';
import { interpret, NotRunnable } from './interpreter.js';
import { writeText } from './ir-text.js';
import { writeBitcode } from './llvm-builder.js';

const LINE_BYTES = 64;
const usesBuilder = process.argv.includes('--builder');
const [first = 1, count = 300] = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number);
if (usesBuilder)
  execFileSync('sh', [resolve(ROOT, 'test/ir/install-llvm-bindings.sh')], { stdio: ['ignore', 2, 'inherit'] });

const folder = mkdtempSync(resolve(tmpdir(), 'dprof-ir-'));
const comparison = new Comparison(folder, compileHarness(folder));
const counts = { modules: 0, skipped: 0, loops: 0, references: 0, differing: 0 };

function judge(seed: number): void {
  const module = generateModule(seed, usesBuilder ? BUILDER : WHOLE);
  const run = interpret(module);
  const source = resolve(folder, usesBuilder ? 'module.bc' : 'module.ll');
  if (usesBuilder) writeBitcode(module, source);
  else writeFileSync(source, writeText(module));
  const expected = resultOf(run);
  const expect = (what: string, result: string): void => {
    if (result !== expected) throw new Difference(`${what} gives ${result}, the interpreter ${expected}`);
  };
  expect('clang -O0', comparison.runPlain(source, '-O0').result);
  const recorded = comparison.record(source, '-O0');
  expect('dprof-cc -O0', recorded.result);
  compareReferences(run, recorded);
  counts.loops += recorded.loops;
  counts.references += run.references.length;
  if (usesBuilder) return;
  // Optimisation may turn loops into block operations, which are split by cache lines: the same ones in both
  // builds.
  writeFileSync(source, writeText(module, LINE_BYTES));
  const level = seed % 2 ? '-O1' : '-O2';
  const [once, each] = [comparison.record(source, level, true), comparison.record(source, level, false)];
  expect(`dprof-cc ${level}`, once.result);
  const [a, b] = [describeReferences(once), describeReferences(each)];
  const at = a.findIndex((line, i) => line !== b[i]);
  if (at >= 0 || a.length !== b.length)
    throw new Difference(
      `${level}: reference ${at} of ${a.length} is ${a[at]} with loops recorded once, ${b[at]} (of ${b.length}` +
        ') iteration by iteration',
    );
  counts.loops += once.loops;
}

for (let seed = first; seed < first + count; seed++) {
  try {
    counts.modules++;
    judge(seed);
  } catch (error) {
    if (error instanceof NotRunnable) {
      counts.skipped++;
      continue;
    }
    if (!(error instanceof Difference)) throw new Error(`seed ${seed}`, { cause: error });
    counts.differing++;
    process.stdout.write(`seed ${seed}: ${error.message}\n`);
  }
  if (seed % 50 === 0) process.stderr.write(`\r${seed - first + 1} of ${count} `);
}
rmSync(folder, { recursive: true, force: true });
process.stderr.write('\n');
process.stdout.write(
  `${counts.modules} modules, ${counts.skipped} of them too long to run, ${counts.loops} loops recorded once, ` +
    `${counts.references} references compared, ${counts.differing} modules differ\n`,
);
process.exitCode = counts.differing ? 1 : 0;
