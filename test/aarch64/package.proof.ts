// Stage: proof of the package for aarch64, under qemu: its engine answers as this machine's does, its plugin in clang
// for aarch64 writes what the plugin here writes for it, and what is for x86-64 alone is refused.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CROSS, EMULATED, QEMU } from './target.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-aarch64-package-'));
const TOOLS = join(ROOT, 'build/aarch64/tools');
const OUT = join(ROOT, 'build/package-aarch64');

const isThere = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const without = ['qemu-aarch64-static', 'apt-get', 'dpkg-deb'].filter((command) => !isThere(command));

describe.skipIf(without.length > 0)(
  `the package for aarch64${without.length > 0 ? ` (left out: no ${without.join(', ')})` : ''}`,
  () => {
    let unpacked: string;
    let trace: string;
    beforeAll(() => {
      execFileSync('sh', ['scripts/package.sh', 'aarch64'], { cwd: ROOT, stdio: 'pipe' });
      execFileSync('sh', ['test/aarch64/install-aarch64-clang.sh', TOOLS], { cwd: ROOT, stdio: 'pipe' });
      const archive = readdirSync(OUT).find((name) => name.endsWith('-linux-arm64.tar.gz'))!;
      execFileSync('tar', ['-xzf', join(OUT, archive), '-C', FOLDER]);
      unpacked = join(FOLDER, archive.replace('.tar.gz', ''));
      const program = join(FOLDER, 'locked-queue');
      const source = 'examples/locked-queue/locked-queue.c';
      execFileSync('bin/dprof-cc', [...CROSS, '-O1', '-g', '-pthread', source, '-o', program], { cwd: ROOT });
      trace = `${program}.dptrace`;
      execFileSync(join(ROOT, 'bin/dprof'), ['record', '--quiet', '-o', trace, '--', program], {
        env: { ...process.env, DPROF_BUILD: EMULATED },
      });
    });
    afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

    const onArm = (words: readonly string[]): ReturnType<typeof spawnSync> =>
      spawnSync(join(TOOLS, 'node'), [join(unpacked, 'bin/dprof'), ...words], { encoding: 'utf8' });
    const here = (words: readonly string[]): string =>
      execFileSync(join(ROOT, 'bin/dprof'), words, { encoding: 'utf8' });

    test.each([
      ['data-profile', []],
      ['sharing', []],
      ['miss-classification', ['--machine', 'graviton3']],
    ])('%s is that of the engine for x86-64, to the byte', (view, options) => {
      const words = ['report', trace, '--view', view, '--format', 'json', '--no-cache', ...options];
      const { status, stdout } = onArm(words);
      expect(status).toBe(0);
      expect(JSON.parse(String(stdout)).rows).not.toEqual([]);
      expect(stdout).toBe(here(words));
    });

    test('dprof sql asks there too', () => {
      const words = ['sql', trace, 'select kind, count(*) from refs group by kind order by kind', '--format', 'csv'];
      const { stdout } = onArm(words);
      expect(stdout).toBe(here(words));
    });

    test('what is for x86-64 says so', () => {
      const refused = (...words: string[]): unknown[] => {
        const { status, stderr } = onArm(words);
        return [status, stderr];
      };
      const hint = 'hint: run it on an x86-64 machine\n';
      expect(refused('block', '--hex', '90')).toEqual([
        1,
        `dprof: dprof block is for x86-64, and this is arm64\n${hint}`,
      ]);
      expect(refused('history', '-o', join(FOLDER, 'x'), '--', '/bin/true')).toEqual([
        1,
        `dprof: dprof history is for x86-64, and this is arm64\n${hint}`,
      ]);
    });

    test('its dprof-cc and its plugin, in clang for aarch64, write the units that are written here', () => {
      const source = join(ROOT, 'examples/locked-queue/locked-queue.c');
      const [theirs, ours] = ['theirs', 'ours'].map((name) => join(FOLDER, `${name}.o`));
      const compile = ['-O1', '-g', '-c', source, '-o'];
      execFileSync(QEMU[0], [...QEMU.slice(1), join(unpacked, 'build/bin/dprof-cc'), ...compile, theirs], {
        env: { ...process.env, DPROF_CLANG: join(TOOLS, 'clang-19') },
      });
      execFileSync(join(ROOT, 'bin/dprof-cc'), [...CROSS.slice(0, 2), ...compile, ours]);
      const part = (object: string, name: string): Buffer => {
        execFileSync('llvm-objcopy-19', [`--dump-section=${name}=${object}.part`, object, '/dev/null']);
        return readFileSync(`${object}.part`);
      };
      expect(part(ours, 'dprof_units').length).toBeGreaterThan(500);
      for (const name of ['dprof_units', '.text']) expect(part(theirs, name).equals(part(ours, name))).toBe(true);
    });
  },
);
