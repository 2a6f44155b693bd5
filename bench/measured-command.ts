// Stage: bench. Runs a command and measures it: wall time, and the peak of its resident memory as the kernel kept it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Measurement {
  readonly seconds: number;
  readonly peakBytes: number;
}

/** The kernel's high-water mark; read again and again, for it is gone with the process. */
function readPeakBytes(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
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
    const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
    let peakBytes = 0;
    let said = '';
    const timer = setInterval(() => {
      if (child.pid !== undefined) peakBytes = Math.max(peakBytes, readPeakBytes(child.pid));
    }, PEAK_INTERVAL_MS);
    child.stderr.on('data', (text: Buffer) => {
      said = (said + text.toString()).slice(-2000);
    });
    child.once('error', fail);
    child.once('close', (status, signal) => {
      clearInterval(timer);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      if (status === 0) done({ seconds, peakBytes });
      else fail(new Error(`${command.join(' ')} ended with ${signal ?? status}:\n${said}`));
    });
  });
}

/** Every command once, then every command again, and so on: what disturbs the machine for a while disturbs all alike. */
export async function measureInterleaved(
  commands: Readonly<Record<string, readonly string[]>>,
  repetitions: number,
): Promise<Record<string, Measurement[]>> {
  const found: Record<string, Measurement[]> = {};
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const [name, command] of Object.entries(commands)) (found[name] ??= []).push(await measureCommand(command));
  return found;
}
