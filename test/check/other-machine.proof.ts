// Stage: proof of dprof check. The same commit has the same numbers on another machine: other processors, another
// number of them, another kernel and another clock, all emulated by qemu.

import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckResult } from '../../src/check/check-result.js';
import { runDprof } from '../cli/command-client.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { ROOT } from './project.js';

const isThere = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const without = ['qemu-system-x86_64', 'cpio', 'apt-get'].filter((command) => !isThere(command));
const folder = makeTemporaryFolder('other-machine');

const statementsOf = (text: string): unknown =>
  (JSON.parse(text) as CheckResult).programs.map(({ name, machine, references, statements }) => ({
    name,
    machine,
    references,
    // Sources are named from where the check runs.
    statements: statements.map(({ text: own, status, value, against }) => ({ own, status, value, against })),
  }));

describe.skipIf(without.length > 0)(`another machine${without.map((one) => `, left out: no ${one}`).join('')}`, () => {
  test.each([
    { cpu: 'Haswell', cpus: 3, clock: 'hpet' },
    { cpu: 'Nehalem', cpus: 1, clock: 'acpi_pm' },
  ])('$cpu, $cpus of them, with the clock $clock', ({ cpu, cpus, clock }) => {
    const said = execFileSync(
      'sh',
      [join(ROOT, 'test/check/other-machine.sh'), folder, '-cpu', cpu, '-smp', `${cpus}`],
      { encoding: 'utf8', env: { ...process.env, KERNEL_OPTIONS: `clocksource=${clock}` } },
    );
    const [, count, source, status, ...json] = said.split('\n');
    expect([count, source, status]).toEqual([`${cpus}`, clock, 'status 0']);
    rmSync(join(ROOT, 'examples/.dprof/cache'), { recursive: true, force: true });
    const own = runDprof(['check', '-f', join(ROOT, 'examples/dprof.yml'), '--format', 'json']);
    expect(own.status).toBe(0);
    expect(statementsOf(json.join('\n'))).toEqual(statementsOf(own.stdout));
  });
});
