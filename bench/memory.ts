// Stage: bench. Measures the memory that recording adds to a program, by the number of threads it has at once. Run by
// `npm run bench -- memory`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Table from 'cli-table3';
import { nameMachine } from './machine-name.js';
import { folder, make, ownProgram, recorded } from './workloads.js';

const MIB = 2 ** 20;
const INTERVAL_MS = 10;
const program = ownProgram('threads');

/**
 * The memory of a process and of all processes below it, in bytes. Memory that several of them map is counted once
 * (`Pss`, proc(5)). No process maps the trace on the tmpfs.
 */
function memoryOf(pid: number): number {
  try {
    const own = Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return children.reduce((sum, child) => sum + memoryOf(child), own);
  } catch {
    return 0; // it has ended meanwhile
  }
}

function peakOf(command: readonly string[]): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(command[0], command.slice(1), { stdio: 'ignore' });
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid!))), INTERVAL_MS);
    child.once('error', fail);
    child.once('close', (status) => {
      clearInterval(timer);
      if (status === 0) done(peak);
      else fail(new Error(`${command.join(' ')} ended with ${status}`));
    });
  });
}

const table = new Table({
  head: ['threads', 'native', 'recorded', 'added', 'goal: 8 MiB + 2 MiB per thread'],
  style: { head: [], border: [] },
});
for (const threads of [1, 2, 8, 32, 128]) {
  process.stderr.write(`${threads} threads ...\n`);
  const words = [String(threads), String(Math.round(6_000_000 / threads))];
  const native = await peakOf([make(program, 'plain'), ...words]);
  const own = await peakOf(recorded(make(program, 'dprof'), words, `${folder}/trace`));
  const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
  table.push([threads, mebibytes(native), mebibytes(own), mebibytes(own - native), `${8 + 2 * threads} MiB`]);
}
process.stdout.write(
  `${nameMachine()}\npeaks of program and recorder together, looked at every ${INTERVAL_MS} ms\n${table.toString()}\n`,
);
