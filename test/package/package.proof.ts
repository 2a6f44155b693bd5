// Stage: proof of the package. In a Debian 12 that has Node and one clang alone, and no network, it works: with each
// clang that it has a plugin for.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-package-'));

/** Names of what is missing. */
function missing(): string[] {
  const isThere = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
  const mayUnshare = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true']).status === 0;
  return [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...(mayUnshare ? [] : ['namespaces']),
    ...(isThere('debootstrap') ? [] : ['debootstrap']),
  ];
}

const without = missing();

describe.skipIf(without.length > 0)(
  `the package${without.length > 0 ? ` (left out: no ${without.join(', ')})` : ''}`,
  () => {
    beforeAll(() => {
      execFileSync('sh', ['scripts/package.sh'], { cwd: ROOT, stdio: 'pipe' });
    });
    afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

    const built = ['16', '22'].filter((version) => existsSync(`/usr/bin/llvm-config-${version}`));
    test.each(['19', ...built])('with clang-%s alone', (clang) => {
      const { status, stdout, stderr } = spawnSync('sh', [join(ROOT, 'test/package/try-package.sh'), FOLDER, clang], {
        encoding: 'utf8',
      });
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^archive: \d+ tenths of a second, from nothing to a check$/m);
      expect(stdout).toMatch(/^package: \d+ tenths of a second$/m);
    });
  },
);
