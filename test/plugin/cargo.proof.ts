// Stage: proof of dprof-cc. A program that cargo builds, with the rustc of today, whose LLVM is 22: linked by dprof-cc,
// it is recorded with its types (docs/builds.md).

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Project, ROOT } from '../check/project.js';
import { runDprof } from '../cli/command-client.js';
import { buildFor } from './other-build.js';

const VERSION = 22;
const rustc = spawnSync('rustc', ['-vV'], { encoding: 'utf8' });
const isThere =
  rustc.status === 0 &&
  rustc.stdout.includes(`\nLLVM version: ${VERSION}.`) &&
  spawnSync('cargo', ['--version']).status === 0 &&
  existsSync(`/usr/bin/clang-${VERSION}`) &&
  existsSync(`/usr/bin/ld.lld-${VERSION}`);

const NODES = 1000;
const PROGRAM = `struct Item { key: u64, next: Option<Box<Item>> }
fn main() {
    let mut list = None;
    for key in 0..${NODES} { list = Some(Box::new(Item { key, next: list })); }
    let mut total = 0;
    let mut at = &list;
    while let Some(item) = at { total += item.key; at = &item.next; }
    println!("{}", total);
    std::mem::forget(list);
}
`;

test.skipIf(!isThere)(`cargo, rustc and dprof-cc (clang-${VERSION}, lld-${VERSION})`, () => {
  const project = new Project({
    'Cargo.toml': '[package]\nname = "list"\nversion = "0.1.0"\nedition = "2021"\n[profile.release]\ndebug = 2\n',
    'src/main.rs': PROGRAM,
  });
  const options = ['linker=dprof-cc', 'linker-plugin-lto', 'linker-features=-lld', 'link-arg=-fuse-ld=lld'];
  execFileSync('cargo', ['build', '--release', '--offline', '--quiet'], {
    cwd: project.folder,
    env: {
      ...process.env,
      PATH: `${ROOT}/bin:${process.env.PATH}`,
      DPROF_LLVM: `${VERSION}`,
      DPROF_BUILD: buildFor(VERSION),
      RUSTFLAGS: options.map((one) => `-C ${one}`).join(' '),
    },
  });
  const trace = project.path('run.dptrace');
  const recorded = runDprof(['record', '-o', trace, '--', project.path('target/release/list')]);
  expect(recorded).toMatchObject({ status: 0, stdout: `${(NODES * (NODES - 1)) / 2}\n` });
  const { stdout } = runDprof(['report', trace, '--type', 'struct Item', '--format', 'json']);
  const [{ references }] = (JSON.parse(stdout) as { rows: { references: { loads: number } }[] }).rows;
  expect(references.loads).toBe(2 * NODES); // how often an item is copied until it lies in its box is the optimiser's
});
