// Stage: test. A build whose plugin is for another LLVM.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './recorded-program.js';

const BUILD = join(ROOT, 'build');

/** The folder, for DPROF_BUILD: the build's own pieces, but the plugin of that LLVM alone. */
export function buildFor(version: number): string {
  execFileSync('cmake', ['-S', ROOT, '-B', BUILD], { stdio: 'pipe' }); // it may be newer than the build
  execFileSync('cmake', ['--build', BUILD, '--target', `dprof_pass-${version}`], { stdio: 'pipe' });
  const build = join(BUILD, `llvm-${version}`);
  for (const folder of ['bin', 'lib']) {
    mkdirSync(join(build, folder), { recursive: true });
    for (const name of readdirSync(join(BUILD, folder)).filter((one) => !one.startsWith('libdprof_pass'))) {
      rmSync(join(build, folder, name), { force: true });
      symlinkSync(join(BUILD, folder, name), join(build, folder, name));
    }
  }
  return build;
}
