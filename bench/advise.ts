// Stage: bench. What dprof advise says first of programs of which it is known what to change; its prediction beside the
// change made in the source, recorded again, and run natively; and what it takes. `npm run bench -- advise`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, parse, resolve } from 'node:path';
import Table from 'cli-table3';
import { ADVISED, readAdvice, recordAdvised } from '../test/real/advised.js';
import { DPROF, readDataProfile, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { measureCommand, measureInterleaved, ratio, repetitions } from './measured-command.js';
import { times } from './statistics.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-bench-advise-'));
const table = new Table({
  head: [
    'program',
    'first finding',
    'what-if',
    'predicted',
    'recorded anew',
    'run time',
    'native',
    'tried',
    'advise : replay',
  ],
  style: { head: [], border: [] },
});

/** Without dprof: the program as it is, and with the change in its source. */
function compile(source: string, ...flags: readonly string[]): string {
  const { name, ext } = parse(source);
  const program = join(folder, `${name}-plain${flags.join('')}`);
  const compiler = ext === '.cpp' ? 'clang++-19' : 'clang-19';
  run([compiler, '-O2', '-pthread', ...flags, resolve(DPROF, '../..', source), '-o', program, '-lm']);
  return program;
}

try {
  let right = 0;
  for (const one of ADVISED) {
    process.stderr.write(`${basename(one.source)} ...\n`);
    const trace = recordAdvised(one, folder);
    const replay = [DPROF, 'replay', trace, '-o', join(folder, 'profile'), '--no-flow'];
    const replayed = await measureCommand(replay);
    const began = process.hrtime.bigint();
    const { findings, tried } = readAdvice(trace);
    const advised = Number(process.hrtime.bigint() - began) / 1e9;
    const [first] = findings;
    const options = first?.change?.options.join(' ') ?? '-';
    const isRight =
      first?.kind === one.kind &&
      first.type === one.type &&
      (one.options === null || options.includes(one.options.join(' ')));
    if (isRight) right++;
    const cyclesOf = (path: string): number => readDataProfile(path).totals.missLatencyCycles;
    let [anew, native] = ['-', '-'];
    if (one.isFixable) {
      anew = times(cyclesOf(recordAdvised(one, folder, '-DFIXED')) / cyclesOf(trace));
      const [before, after] = [compile(one.source), compile(one.source, '-DFIXED')];
      await measureCommand([before]);
      const runs = await measureInterleaved({ before: [before], after: [after] }, Math.max(7, repetitions));
      native = times(ratio(runs.after, runs.before, 'seconds'));
    }
    const { predicted, kind = '-', type = '' } = first ?? {};
    table.push([
      basename(one.source),
      `${kind}: ${type.slice(0, 28)}${isRight ? '' : ' (!)'}`,
      options,
      predicted ? times(predicted.cycles.after / predicted.cycles.before) : '-',
      anew,
      predicted?.runTime ? times(predicted.runTime.after / predicted.runTime.before) : '-',
      native,
      tried,
      times(advised / replayed.seconds),
    ]);
  }
  process.stdout.write(
    `${nameMachine()}\nfirst findings that are the known ones: ${right} of ${ADVISED.length}; predicted and recorded ` +
      `anew: estimated cycles, after : before; native: medians of interleaved runs\n${table.toString()}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
