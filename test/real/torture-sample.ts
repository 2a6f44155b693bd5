// Stage: test. Some of gcc's torture tests, always the same ones. They are in a Debian package that is fetched once,
// and not installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const HOME = join(ROOT, 'build/real/gcc-torture');
export const TORTURE = join(HOME, 'execute');

export function haveTortureTests(): boolean {
  if (existsSync(TORTURE)) return true;
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'test/real/fetch-gcc-torture.sh'), HOME], {
    encoding: 'utf8',
  });
  if (status !== 0)
    process.stderr.write(
      `gcc's torture tests are skipped: the Debian package gcc-12-source can not be fetched (` +
        `${stderr.trim().split('\n').at(-1)})\n`,
    );
  return status === 0 && existsSync(TORTURE);
}

/** Every so-manieth by name, so that the sample is spread and stays the same. */
export function tortureSample(count: number): string[] {
  const programs = readdirSync(TORTURE)
    .filter((name) => name.endsWith('.c'))
    .toSorted();
  return Array.from({ length: count }, (_, i) => programs[Math.floor(((i + 0.5) * programs.length) / count)]!);
}
