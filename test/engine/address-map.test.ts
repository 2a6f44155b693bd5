// Where objects live, by address: AddressMap is compared with a std::map of the same.

import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const root = resolve(import.meta.dirname, '../..');
const SEEDS = atLength(3, 100);
const STEPS = 200_000;

test(`${SEEDS} random histories of ${STEPS} steps`, () => {
  const program = join(makeTemporaryFolder('address-map'), 'address-map');
  const options = ['-std=c++20', '-O1', '-Wall', '-Wextra', '-fsanitize=address,undefined', '-fno-sanitize-recover'];
  const source = resolve(root, 'test/engine/programs/address-map.cc');
  execFileSync('clang++-19', [...options, '-I', resolve(root, 'engine'), source, '-o', program]);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const most = Number(execFileSync(program, [String(seed), String(STEPS)], { encoding: 'utf8' }));
    expect(most, `seed ${seed}`).toBeGreaterThan(1000); // so that runs are split
  }
});
