// Stage: proof. Programs compiled for aarch64 here are recorded by the recorder for aarch64, both under qemu, and
// replayed by this machine's engine: tests of other folders pass as they do for x86-64, and where the code allows the
// same source makes the same references. docs/aarch64.md says what qemu cannot show.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeAll } from '../real/torture-programs.js';
import { haveTortureTests, tortureSample, TORTURE } from '../real/torture-sample.js';
import { CROSS, EMULATED, QEMU } from './target.js';

const ROOT = resolve(import.meta.dirname, '../..');
const DPROF = join(ROOT, 'bin/dprof');
const FOLDER = mkdtempSync(join(tmpdir(), 'dprof-aarch64-'));
const ON_ARM = { ...process.env, DPROF_BUILD: EMULATED, DPROF_TARGET: 'aarch64' };

const isThere = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const without = ['qemu-aarch64-static', 'apt-get', 'dpkg-deb'].filter((command) => !isThere(command));

/** Run for aarch64 as they are. */
const TESTS = [
  ...['signals', 'threads', 'ends', 'kernel-stores', 'meeting', 'closing-line'].map((name) => `runtime/${name}`),
  ...['allocators', 'array-field', 'call-paths', 'choosing', 'derived-objects', 'frames', 'generations'].map(
    (name) => `recorded/${name}`,
  ),
  ...['own-locks', 'pinned', 'receivers', 'recorded-programs', 'values', 'windows'].map((name) => `recorded/${name}`),
  ...[
    'true-sharing',
    'false-sharing',
    'conflict',
    'capacity',
    'producer-consumer',
    'locked-queue',
    'striped-table',
  ].map((name) => `examples/${name}`),
];

const NO_EXEC = 'qemu starts no program of another processor by itself';
const SAID = 'qemu says on standard error that a signal ended the program';
const WIDTHS = 'a long double has 16 bytes, and a bit-field is accessed in its whole unit';
const COERCED = 'a structure in two registers is one array of words for LLVM';
/** Those that cannot be the same, by the end of their names, and why. */
const EXPECTED_TO_FAIL: Readonly<Record<string, string>> = {
  'a program that starts itself in its own place leaves two traces': NO_EXEC,
  'a child that only calls exec has one trace: the new program’s': NO_EXEC,
  'a child that is executed joins the recording and does not start its own': NO_EXEC,
  'a child of a bare clone-shared maps memory and handles signals by itself': 'qemu refuses such a clone',
  'abort: all 5,000 stores, exit status 134': SAID,
  'fault: all 5,000 stores, exit status 139': SAID,
  'of scalars, vectors, bit-fields, atomics and blocks at -O1': WIDTHS,
  'of scalars, vectors, bit-fields, atomics and blocks at -O2': WIDTHS,
  'of scalars, vectors, bit-fields, atomics and blocks at -O3': WIDTHS,
  'at -O0, between those of locals': WIDTHS,
  'integers, floating point, pointers, structures in registers and vectors at -O0': COERCED,
  'integers, floating point, pointers, structures in registers and vectors at -O1': COERCED,
  'integers, floating point, pointers, structures in registers and vectors at -O2': COERCED,
  'functions without references say them too': COERCED,
};

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const DIFFERENT_TORTURE: Readonly<Record<string, string>> = {
  '20020413-1.c': 'a long double has 16 bytes',
  'va-arg-20.c': 'a va_list has 32 bytes',
};

/** Left out: where the threads' schedule decides, and where the C library's types have other sizes. */
const EQUAL_EXAMPLES = ['false-sharing', 'true-sharing', 'conflict', 'capacity', 'matmul-160', 'locked-queue'];

/** Bytes, because what lies across two cache lines is two references, and stacks begin elsewhere. */
const REFERENCES =
  'select type, field, kind, site, sum(size) as bytes from refs group by all order by all; ' +
  'select event, detail, size, function, line, count(*) as n from events ' +
  "where event in ('allocate', 'free') group by all order by all";

/** How much is referenced by type, field and line, and allocations: of `source` at -O0, recorded. */
function counted(source: string, processor: 'aarch64' | 'x86-64', flags: readonly string[] = []): string {
  const isArm = processor === 'aarch64';
  const program = join(FOLDER, `${basename(source)}-${processor}`);
  const compiler = join(ROOT, source.endsWith('.cpp') ? 'bin/dprof-c++' : 'bin/dprof-cc');
  const target = isArm ? CROSS : [];
  execFileSync(compiler, [...target, '-O0', ...flags, '-pthread', source, '-o', program, '-lm'], { stdio: 'pipe' });
  const { stderr } = spawnSync(DPROF, ['record', '-o', `${program}.dptrace`, '--', program], {
    encoding: 'utf8',
    env: isArm ? ON_ARM : process.env,
  });
  if (stderr.includes('hint:')) throw new Error(`${program}: ${stderr}`);
  return execFileSync(DPROF, ['sql', `${program}.dptrace`, REFERENCES, '--format', 'csv'], { encoding: 'utf8' });
}

describe.skipIf(without.length > 0)(
  `aarch64 under qemu${without.length > 0 ? ` (left out: no ${without.join(', ')})` : ''}`,
  () => {
    beforeAll(() => {
      execFileSync('sh', ['scripts/aarch64.sh'], { cwd: ROOT, stdio: 'pipe' });
    });
    afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

    test('what the other tests hold of runtime, recorder and plugin holds there, but for what is listed', () => {
      const answer = join(FOLDER, 'tests.json');
      const files = TESTS.map((name) => `test/${name}.test.ts`);
      spawnSync('npx', ['vitest', 'run', '--reporter=json', `--outputFile=${answer}`, ...files], {
        cwd: ROOT,
        env: { ...ON_ARM, DPROF_PROOFS: '0' },
        stdio: 'ignore',
      });
      const { testResults } = JSON.parse(readFileSync(answer, 'utf8')) as TestReport;
      const inFile = (name: string): TestReport['testResults'][number] =>
        testResults.find((file) => file.name.endsWith(`test/${name}.test.ts`))!;
      const passed = (name: string): boolean => inFile(name).assertionResults.some(({ status }) => status === 'passed');
      expect(TESTS.filter((name) => !passed(name))).toEqual([]);
      const failed = testResults.flatMap(({ assertionResults }) =>
        assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
      );
      expect(failed.toSorted()).toEqual(Object.keys(EXPECTED_TO_FAIL).toSorted());
    });

    test.each(EQUAL_EXAMPLES)('%s makes the same references and allocations as on x86-64', (name) => {
      const source = `examples/${name}/${name}.c`;
      const [arm, x86] = [counted(source, 'aarch64'), counted(source, 'x86-64')];
      expect(arm.split('\n').length).toBeGreaterThan(5);
      expect(arm).toBe(x86);
    });

    test.skipIf(!haveTortureTests())("gcc's torture tests make the same ones, but for what is listed", () => {
      const differ = tortureSample(24)
        .filter((name) => {
          const [arm, x86] = (['aarch64', 'x86-64'] as const).map((processor) => {
            try {
              return counted(join(TORTURE, name), processor, ['-w', '-std=gnu89']);
            } catch {
              return `not on ${processor}`;
            }
          });
          return arm !== x86;
        })
        .toSorted();
      expect(differ).toEqual(Object.keys(DIFFERENT_TORTURE));
    });

    test.skipIf(!haveTortureTests())("gcc's torture tests behave as with clang, dormant and recorded", async () => {
      const scratch = join(FOLDER, 'torture');
      mkdirSync(scratch);
      const levels = ['-O0', '-O1', '-O2', '-O3'];
      const jobs = tortureSample(12).flatMap((name) =>
        levels.map((level) => ({ name, level, source: join(TORTURE, name) })),
      );
      const { counts, faults } = await judgeAll(jobs, scratch, {
        wrapper: join(ROOT, 'bin/dprof-cc'),
        recorder: join(EMULATED, 'bin/dprof-record'),
        flags: CROSS,
        runner: QEMU,
      });
      expect(faults).toEqual([]);
      expect(levels.map((level) => counts.get(`${level} same`))).toEqual(levels.map(() => 12));
    });
  },
);
