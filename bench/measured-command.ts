// Stage: bench. Runs a command and measures it: wall time, processor time of it and its children, and the peak of its
// resident memory as the kernel kept it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { median, times } from './statistics.js';

/** The default number of runs of each command. */
export const repetitions = Math.max(1, Number(process.env.DPROF_BENCH_REPETITIONS ?? 5));

export interface Measurement {
  readonly seconds: number;
  /** All threads, and what was waited for. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

/** The kernel's high-water mark of the shell's child; read again and again, for it is gone with the process. */
function readPeakBytes(shell: number): number {
  try {
    const child = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'));
    return line ? Number(line[1]) * 1024 : 0;
  } catch {
    return 0;
  }
}

const PEAK_INTERVAL_MS = 20;

/** Output is thrown away; a status other than 0 is an error with what the command said. */
export function measureCommand(command: readonly string[]): Promise<Measurement> {
  return new Promise((done, fail) => {
    const started = process.hrtime.bigint();
    // A shell tells at the end what its child has used; node does not tell that of one child.
    const child = spawn('bash', ['-c', 'TIMEFORMAT="%U %S"; { time "$@" 2>&4; } 4>&2 2>&3', 'bash', ...command], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let used = '';
    (child.stdio[3] as NodeJS.ReadableStream).on('data', (text: Buffer) => (used += text.toString()));
    let peakBytes = 0;
    let said = '';
    const timer = setInterval(() => {
      if (child.pid !== undefined) peakBytes = Math.max(peakBytes, readPeakBytes(child.pid));
    }, PEAK_INTERVAL_MS);
    child.stderr!.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-2000);
    });
    child.once('error', fail);
    child.once('close', (status, signal) => {
      clearInterval(timer);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      const cpuSeconds = used
        .trim()
        .split(/\s+/)
        .reduce((sum, part) => sum + Number(part), 0);
      if (status === 0) done({ seconds, cpuSeconds, peakBytes });
      else fail(new Error(`${command.join(' ')} ended with ${signal ?? status}:\n${said}`));
    });
  });
}

/**
 * Every command once, then every command again, and so on: what disturbs the machine for a while disturbs all alike.
 */
export async function measureInterleaved(
  commands: Readonly<Record<string, readonly string[]>>,
  times: number,
): Promise<Record<string, Measurement[]>> {
  const found: Record<string, Measurement[]> = {};
  for (let repetition = 0; repetition < times; repetition++)
    for (const [name, command] of Object.entries(commands)) (found[name] ??= []).push(await measureCommand(command));
  return found;
}

/** The same command twice at a time; what the slower one took. */
export async function measureTwice(command: (copy: number) => readonly string[]): Promise<number> {
  const both = await Promise.all([measureCommand(command(0)), measureCommand(command(1))]);
  return Math.max(...both.map((one) => one.seconds));
}

export function seconds(runs: readonly Measurement[]): number {
  return median(runs.map((one) => one.seconds));
}

export function cpuSeconds(runs: readonly Measurement[]): number {
  return median(runs.map((one) => one.cpuSeconds));
}

type Clock = 'seconds' | 'cpuSeconds';

/** Machines drift: each run is compared with what ran beside it. */
function ratios(runs: readonly Measurement[], to: readonly Measurement[], of: Clock): number[] {
  return runs.map((one, i) => one[of] / to[i][of]);
}

export function ratio(runs: readonly Measurement[], to: readonly Measurement[], of: Clock): number {
  return median(ratios(runs, to, of));
}

/** The smallest ratio, which the machine has disturbed least, and the median: two cells of a table. */
export function ratioCells(runs: readonly Measurement[], to: readonly Measurement[], of: Clock): [string, string] {
  const found = ratios(runs, to, of);
  return [times(Math.min(...found)), times(median(found))];
}
