// Stage: bench. Blocks -> the cycles that OSACA predicts. It is installed with pip into a folder of its own, by name.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const MOST_OUTPUT = 1 << 28;
const INSTALL_MS = 120_000;
const PREDICT_MS = 300_000;

/** In the order of `blocks`, undefined where it knows none. undefined: it cannot be had, or takes too long. */
export function predictWithOsaca(
  blocks: readonly (readonly string[])[],
  architecture: string,
  folder: string,
): (number | undefined)[] | undefined {
  const python = `${folder}/bin/python`;
  const install = (program: string, words: readonly string[]): boolean =>
    spawnSync(program, words, { stdio: 'ignore', timeout: INSTALL_MS }).status === 0;
  const isThere =
    existsSync(`${folder}/bin/osaca`) ||
    (install('python3', ['-m', 'venv', folder]) && install(python, ['-m', 'pip', 'install', '-q', 'osaca']));
  if (!isThere) return undefined;
  const { status, stdout } = spawnSync(python, ['bench/osaca_cycles.py', architecture], {
    input: blocks.map((assembly) => `${JSON.stringify(assembly)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
    timeout: PREDICT_MS,
  });
  if (status !== 0) return undefined;
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as number | null) ?? undefined);
}
