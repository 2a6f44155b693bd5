// Stage: test. Real projects, nothing changed but the compiler: each one's own test suite gives the same counts built
// by clang-19, built by dprof-cc, and recorded. Run as `node dist/test/real/projects.js [--no-record] [--built]
// [NAME...]`; what was built lies in build/real/NAME, and with --built is taken from there.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PROJECTS, type Counts, type Project } from './project-table.js';
import { conclude, DPROF, DPROF_CC, realFolder, ROOT, run, scratchFolder } from './real-program.js';

const SUITE_LIMIT_MS = 120 * 60_000; // against a suite that hangs, not one on a busy machine
const REAL = resolve(ROOT, 'test/real');

type Variant = 'plain' | 'instrumented';
const COMPILERS: Readonly<Record<Variant, readonly [string, string]>> = {
  plain: ['clang-19', 'clang++-19'],
  instrumented: [DPROF_CC, DPROF_CC.replace(/cc$/, 'c++')],
};

interface Outcome extends Counts {
  readonly seconds: number;
  readonly status: string;
}

function shell(
  text: string,
  folder: string,
  variant: Variant,
  before: readonly string[],
  log: string,
): { output: string; seconds: number; status: string } {
  const [CC, CXX] = COMPILERS[variant];
  const began = performance.now();
  const command = [...before, 'sh', '-c', text];
  const { stdout, stderr, status, signal } = spawnSync(command[0], command.slice(1), {
    cwd: folder,
    encoding: 'latin1',
    maxBuffer: 1 << 30,
    timeout: SUITE_LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CC, CXX, REAL },
  });
  const output = `${stdout}\n${stderr}`;
  writeFileSync(resolve(folder, '..', `${log}.log`), output, 'latin1');
  return { output, seconds: (performance.now() - began) / 1000, status: String(signal ?? status) };
}

function build(project: Project, variant: Variant): string {
  const home = realFolder(project.name);
  const folder = resolve(home, `${variant}-tree`);
  const whole = resolve(home, `${variant}-is-built`);
  if (process.argv.includes('--built') && existsSync(whole)) return folder;
  rmSync(whole, { force: true });
  rmSync(folder, { recursive: true, force: true });
  cpSync(resolve(home, 'source'), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const { status, output } = shell(project.build, folder, variant, [], `${variant}-build`);
  if (status !== '0')
    throw new Error(`${project.name} does not build ${variant}: status ${status}\n${output.slice(-1500)}`);
  writeFileSync(whole, '');
  return folder;
}

function test(
  project: Project,
  folder: string,
  variant: Variant,
  suite: string,
  before: readonly string[],
  log: string,
): Outcome {
  const { output, seconds, status } = shell(suite, folder, variant, before, log);
  return { ...project.count(output), seconds, status };
}

function row(name: string, what: string, { passed, failed, status, seconds }: Outcome): void {
  process.stdout.write(
    `${name.padEnd(10)} ${what.padEnd(24)} ${String(passed).padStart(6)} passed ${String(failed).padStart(4)} ` +
      `failed  status ${status.padEnd(4)} ${seconds.toFixed(1).padStart(7)} s\n`,
  );
}

/** Everything that differs between two runs of one suite. */
function compare(name: string, what: string, before: Outcome, after: Outcome): string[] {
  const same = before.passed === after.passed && before.failed === after.failed && before.status === after.status;
  return same
    ? []
    : [
        `${name}: ${what}: ${before.passed} passed, ${before.failed} failed, status ${before.status} became ` +
          `${after.passed}, ${after.failed}, status ${after.status}`,
      ];
}

function tryProject(project: Project, records: boolean): string[] {
  const { name } = project;
  run(['sh', resolve(REAL, 'need-packages.sh'), ...project.packages]);
  const { source, fetch } = project;
  run(
    source
      ? ['sh', resolve(REAL, '../../scripts/fetch-debian-source.sh'), source, realFolder(name)]
      : ['sh', resolve(REAL, fetch ?? ''), realFolder(name)],
  );
  const folders = { plain: build(project, 'plain'), instrumented: build(project, 'instrumented') };
  const plain = test(project, folders.plain, 'plain', project.suite, [], 'plain-suite');
  row(name, 'plain', plain);
  const dormant = test(project, folders.instrumented, 'instrumented', project.suite, [], 'instrumented-suite');
  row(name, 'instrumented', dormant);
  const faults = compare(name, 'instrumented', plain, dormant);
  if (plain.passed === 0) faults.push(`${name}: its suite passed no test`);
  if (!records) return faults;

  const expected = project.recordedSuite
    ? test(project, folders.plain, 'plain', project.recordedSuite, [], 'plain-part')
    : plain;
  if (project.recordedSuite) row(name, 'plain, the part recorded', expected);
  const traces = scratchFolder();
  const recorded = test(
    project,
    folders.instrumented,
    'instrumented',
    project.recordedSuite ?? project.suite,
    [DPROF, 'record', '-o', resolve(traces, 't.dptrace'), '--'],
    'recorded-suite',
  );
  row(name, 'recorded', recorded);
  const written = readdirSync(traces).map((file) => ({ file, bytes: statSync(resolve(traces, file)).size }));
  const unfinished = written.filter(({ file }) => file.endsWith('.incomplete'));
  process.stdout.write(
    `${' '.repeat(11)}${written.length} traces, ` +
      `${(written.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20).toFixed(1)} MiB\n`,
  );
  if (written.length === 0) faults.push(`${name}: no trace was written`);
  if (unfinished.length) faults.push(`${name}: ${unfinished.length} traces are not whole`);
  rmSync(traces, { recursive: true, force: true });
  return [...faults, ...compare(name, 'recorded', expected, recorded)];
}

const chosen = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const records = !process.argv.includes('--no-record');
const unknown = chosen.filter((name) => !PROJECTS.some((project) => project.name === name));
if (unknown.length || !existsSync(DPROF_CC)) {
  conclude('projects', [
    ...unknown.map(
      (name) => `there is no project ${name}; there is ${PROJECTS.map((project) => project.name).join(', ')}`,
    ),
    ...(existsSync(DPROF_CC) ? [] : ['dprof-cc is not built: npm run build']),
  ]);
} else {
  const faults: string[] = [];
  for (const project of PROJECTS.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
    try {
      faults.push(...tryProject(project, records));
    } catch (error) {
      faults.push(`${project.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  conclude('projects', faults);
}
