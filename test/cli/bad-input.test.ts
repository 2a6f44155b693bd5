// Stage: test. Bad input of every kind: one clear line, a hint, the right exit code, and nothing lost that was
// recorded.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { startDprof } from './command-client.js';
import { dprof, DPROF, DPROF_CC, makeFolder, run, saveTrace, writePairTrace, type Outcome } from './command-line.js';
import { readTrace } from '../../src/trace/trace-reader.js';

const folder = makeFolder();
const whole = writePairTrace(10).finish({ exit: { code: 0 } });
let trace: string;

beforeAll(() => {
  trace = saveTrace(folder, 'pair.dptrace', whole);
});

function refusal(outcome: Outcome): { status: number | null; message: string; hint: string } {
  const lines = outcome.stderr.split('\n');
  expect(outcome.stdout).toBe('');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^dprof(-record)?: /);
  expect(lines[1]).toMatch(/^hint: /);
  return {
    status: outcome.status,
    message: lines[0].replace(/^dprof(-record)?: /, ''),
    hint: lines[1].slice('hint: '.length),
  };
}

describe('traces', () => {
  test('a file that is not there', () => {
    const path = join(folder, 'missing');
    expect(refusal(dprof('report', path))).toEqual({
      status: 1,
      message: `cannot read ${path} (ENOENT)`,
      hint: 'name a trace that dprof record wrote, or a profile that dprof replay wrote',
    });
  });

  test('a foreign file', () => {
    const path = saveTrace(
      folder,
      'foreign',
      Buffer.from('SQLite format 3, and so on for long enough to be a header of 64 bytes'),
    );
    expect(refusal(dprof('report', path))).toEqual({
      status: 1,
      message: `${path}: not a dprof trace: magic at offset 0: expected "DPROFTRC", found "SQLite f"`,
      hint: 'name a *.dptrace file that dprof record wrote',
    });
  });

  test('a trace of a newer version', () => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(4, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
    const path = saveTrace(folder, 'newer.dptrace', bytes);
    expect(refusal(dprof('report', path))).toEqual({
      status: 1,
      message: `${path}: trace version at offset 8: expected 3 ("loops"), found 4`,
      hint: 'this dprof reads version 3 ("loops"): read the trace with the dprof that recorded it, or a newer one',
    });
  });

  test('a corrupted trace', () => {
    const bytes = Buffer.from(whole);
    bytes[bytes.length >> 1] ^= 1;
    const { status, message, hint } = refusal(
      dprof('replay', saveTrace(folder, 'corrupted.dptrace', bytes), '-o', join(folder, 'corrupted.dprofile')),
    );
    expect([status, hint]).toEqual([1, 'the file is damaged or was not written by dprof record; record again']);
    expect(message).toMatch(
      /checksum of the chunk at \d+, stored at offset \d+: expected 0x[0-9a-f]{8}, found 0x[0-9a-f]{8}$/,
    );
    expect(existsSync(join(folder, 'corrupted.dprofile'))).toBe(false);
  });

  test('a truncated trace is read up to its last whole chunk, and its report says so', () => {
    const path = saveTrace(folder, 'truncated.dptrace', writePairTrace(10).unfinished());
    const outcome = dprof('report', path, '--format', 'json', '--engine', 'ts');
    const report = JSON.parse(outcome.stdout) as { truncated: boolean; ended: string; totals: { references: number } };
    expect([outcome.status, outcome.stderr]).toEqual([0, '']);
    expect([report.truncated, report.ended, report.totals.references]).toEqual([
      true,
      `how it ended was not recorded: the trace is cut after ${readTrace(path).endOffset} bytes`,
      20,
    ]);
    expect(dprof('report', path, '--engine', 'ts').stdout).toContain('; TRUNCATED)');
  });

  test('a corrupted profile', () => {
    const path = join(folder, 'damaged.dprofile');
    dprof('replay', trace, '-o', path, '--engine', 'ts');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(path, bytes);
    const { status, hint } = refusal(dprof('report', path));
    expect([status, hint]).toEqual([
      1,
      'the file is damaged or was not written by dprof replay; replay the trace again',
    ]);
  });
});

const SCHEDULES = 'use logical, recorded or random:SEED, SEED a whole number below 4294967296';

describe('usage', () => {
  test.each<[string[], string, string]>([
    [['report'], "missing required argument 'files'", "'dprof --help' and 'dprof COMMAND --help' list what there is"],
    [['repot'], "unknown command 'repot'", 'Did you mean report?'],
    [['report', 'x', '--veiw', 'all'], "unknown option '--veiw'", 'Did you mean --view?'],
    [
      ['replay', 'x'],
      "required option '-o, --output <profile>' not specified",
      "'dprof --help' and 'dprof COMMAND --help' list what there is",
    ],
    [
      ['report', 'x', '--view', 'pie'],
      "option '--view <view>' argument 'pie' is invalid. Allowed choices are data-profile, " +
        'miss-classification, functions, sharing, address-set, evictions, invalidations, unused-bytes, ' +
        'struct-layout, working-set, path-traces, data-flow, locks, shared-variables, schedules, blocks, all.',
      "'dprof --help' and 'dprof COMMAND --help' list what there is",
    ],
    [
      ['report', 'x', '--view', 'all', '--format', 'json'],
      '--view all is for text, not json',
      'name one view: data-profile, miss-classification, functions, sharing, address-set, evictions, ' +
        'invalidations, unused-bytes, struct-layout, working-set, path-traces, data-flow, locks, ' +
        'shared-variables, schedules',
    ],
    [
      ['report', 'x', '--view', 'miss-classification', '--by', 'moon'],
      "option '--by <what>' argument 'moon' is invalid. Allowed choices are type, field, function, line, " +
        'object, site, core.',
      "'dprof --help' and 'dprof COMMAND --help' list what there is",
    ],
    [
      ['report', 'x', '--view', 'sharing', '--by', 'line'],
      '--by is for the miss classification, not for sharing',
      'give --view miss-classification',
    ],
    [
      ['report', 'x', '--field', 'sx'],
      '--field is not for data-profile, whose rows can not be chosen so',
      'give --view miss-classification, functions, sharing, unused-bytes, schedules',
    ],
    [
      ['report', 'x', '--view', 'evictions', '--function', 'main'],
      '--function is not for evictions, whose rows can not be chosen so',
      'give --view miss-classification, functions, sharing, address-set',
    ],
    [
      ['report', 'x', '--view', 'schedules', '--min-share', '1'],
      '--min-share is not for schedules, whose rows can not be chosen so',
      'give --view data-profile, miss-classification, functions, sharing, address-set, evictions, ' +
        'invalidations, unused-bytes',
    ],
    [
      ['report', 'x', '--min-share', '101'],
      "--min-share: '101' is not a percentage",
      'from 0 to 100, for example --min-share 5',
    ],
    [
      ['report', 'x', '--view', 'miss-classification', '--by', 'object', '--field', 'sx'],
      '--field is not for --by object: misses of objects are not kept by field',
      'give --by line, or --type',
    ],
    [
      ['report', 'x', '--view', 'path-traces', '--sort', 'cycles'],
      '--sort is not for path-traces, which has one order',
      'give --view data-profile, miss-classification, functions, sharing, address-set, evictions, invalidations, ' +
        'unused-bytes, struct-layout, working-set, locks, shared-variables, schedules',
    ],
    [
      ['report', 'x', '--view', 'evictions', '--call-path'],
      '--call-path is not for evictions, whose rows have none',
      'give --view data-profile, miss-classification, functions, sharing, address-set',
    ],
    [
      ['report', 'x', '--view', 'miss-classification', '--by', 'core', '--call-path'],
      '--call-path is not for --by core, whose rows have none',
      'give --view data-profile, miss-classification, functions, sharing, address-set',
    ],
    [
      ['report', 'x', '--view', 'sharing', '--level', 'l2'],
      '--level is not for sharing, which has no levels to choose from',
      'give --view data-profile, miss-classification, functions, address-set, evictions, invalidations, struct-layout',
    ],
    [['report', 'x', '--top', '0'], "--top: '0' is not a positive whole number", 'for example --top 50'],
    [['report', 'x', '--schedule', 'random'], "--schedule: 'random' is not a schedule", SCHEDULES],
    [['report', 'x', '--schedule', 'random:x'], "--schedule: 'random:x' is not a schedule", SCHEDULES],
    [['report', 'x', '--schedule', 'random:-1'], "--schedule: 'random:-1' is not a schedule", SCHEDULES],
    [
      ['report', 'x', '--schedule', 'random:4294967296'],
      "--schedule: 'random:4294967296' is not a schedule",
      SCHEDULES,
    ],
    [
      ['replay', 'x', '--schedules', '0'],
      "--schedules: '0' is not a whole number from 1 to 1000",
      'for example --schedules 8',
    ],
    [
      ['run', '--schedules', '1001', '--', 'true'],
      "--schedules: '1001' is not a whole number from 1 to 1000",
      'for example --schedules 8',
    ],
    [
      ['report', 'x', '--schedules', '8.0'],
      "--schedules: '8.0' is not a whole number from 1 to 1000",
      'for example --schedules 8',
    ],
    [
      ['dump', 'x', '--references', '--schedules', '8'],
      '--schedules does nothing here: a dump is of one order',
      'name it: --schedule random:1',
    ],
    [
      ['dump', 'x', '--references', '--check-order'],
      '--check-order prints no references',
      'give one of --check-order and --references',
    ],
    [['report', 'x', '--engine', 'gpu'], "--engine: 'gpu' is not an engine", 'use native or ts'],
    [['report', 'x', '--workers', '0'], "--workers: '0' is not a positive whole number", 'for example --workers 2'],
    [
      ['report', 'x', '--map', 'numa'],
      "--map: 'numa' is no place for threads",
      'use thread (in creation order, modulo --cores) or cpu (as it was recorded)',
    ],
    [
      ['dump', 'x', '--map', 'cpu'],
      '--map does nothing for a trace as it is in the file',
      'add --references: accesses in replay order',
    ],
    [['run', '--top', 'x', '--', 'true'], "--top: 'x' is not a positive whole number", 'for example --top 50'],
  ])('%j', (words, message, hint) => {
    expect(refusal(dprof(...words))).toEqual({ status: 2, message, hint });
  });

  test('a machine whose sets are not whole', () => {
    expect(refusal(dprof('report', trace, '--l1', '33000/8'))).toEqual({
      status: 2,
      message: 'l1: 33000 bytes / (8 ways × 64 bytes per line) = 64.453 sets, not a whole number',
      hint: 'choose a size that is a multiple of 512 bytes',
    });
  });

  test('machine flags for what was replayed already', () => {
    const path = join(folder, 'flags.dprofile');
    dprof('replay', trace, '-o', path, '--engine', 'ts');
    expect(refusal(dprof('report', path, '--cores', '4'))).toEqual({
      status: 2,
      message: `--cores does nothing for ${path}, which was replayed already`,
      hint: 'give the trace instead of the profile',
    });
  });

  test('an unknown type', () => {
    expect(refusal(dprof('report', trace, '--type', 'struct pears', '--engine', 'ts'))).toEqual({
      status: 1,
      message: "no type in this profile is named 'struct pears'",
      hint: "did you mean 'struct pair'?",
    });
  });
});

describe('places to write', () => {
  test('a folder that is not there', () => {
    const path = join(folder, 'nowhere/a.dprofile');
    expect(refusal(dprof('replay', trace, '-o', path, '--engine', 'ts'))).toEqual({
      status: 1,
      message: `cannot write the profile ${path} (ENOENT)`,
      hint: 'choose another place with -o',
    });
    const { status, message } = refusal(dprof('record', '-o', join(folder, 'nowhere/a.dptrace'), '--', 'true'));
    expect([status, message]).toEqual([
      1,
      `can not write ${join(folder, 'nowhere/a.dptrace')}: No such file or directory`,
    ]);
  });

  test('a folder that nobody may write to', () => {
    expect(refusal(dprof('replay', trace, '-o', '/sys/a.dprofile', '--engine', 'ts'))).toMatchObject({
      status: 1,
      message: expect.stringMatching(
        /^cannot write the profile \/sys\/a\.dprofile \((EACCES|EPERM|EROFS)\)$/,
      ) as string,
    });
    expect(refusal(dprof('record', '-o', '/sys/a.dptrace', '--', 'true'))).toMatchObject({
      status: 1,
      message: expect.stringMatching(/^can not write \/sys\/a\.dptrace: /) as string,
    });
  });

  test('a full disk', () => {
    expect(refusal(dprof('replay', trace, '-o', '/dev/full', '--engine', 'ts'))).toEqual({
      status: 1,
      message: 'cannot write the profile /dev/full (ENOSPC)',
      hint: 'the disk is full; free some space or write elsewhere with -o',
    });
    const { status, stderr } = spawnSync('sh', ['-c', `"${DPROF}" report "${trace}" --engine ts >/dev/full`], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      'dprof: cannot write the output (ENOSPC)\nhint: free some space, or write elsewhere\n',
    ]);
  });
});

describe('programs', () => {
  test('an uninstrumented program: it runs, and the recorder says that nothing was recorded', () => {
    const path = join(folder, 'true.dptrace');
    const { status, message, hint } = refusal(dprof('record', '-o', path, '--', 'true'));
    expect([status, message, hint]).toEqual([
      1,
      'true is not instrumented: nothing was recorded',
      'build it with dprof-cc or dprof-c++',
    ]);
    expect(readdirSync(folder).filter((name) => name.startsWith('true.dptrace'))).toEqual([]);
  });

  test('a program that is not there', () => {
    expect(refusal(dprof('record', '-o', join(folder, 'x.dptrace'), '--', './no-such-program'))).toMatchObject({
      status: 127,
      message: 'can not run ./no-such-program: No such file or directory',
    });
  });

  function build(name: string, source: string): string {
    const program = join(folder, name);
    writeFileSync(`${program}.c`, source);
    expect(run(DPROF_CC, '-O1', `${program}.c`, '-o', program)).toEqual({ status: 0, stdout: '', stderr: '' });
    return program;
  }

  const counting = `
    #include <signal.h>
    #include <stdio.h>
    #include <sys/stat.h>
    #include <unistd.h>
    static void wait_for_bytes(const char *path) {
      struct stat status = {0};
      for (int i = 0; i < 1000 && status.st_size < 100; i++) usleep(10000), stat(path, &status);
    }
    struct counter { volatile long hits; } counter;
    int main(int count, char **words) {
      for (int i = 0; i < 1000; i++) counter.hits++;
      if (count > 1 && words[1][0] == 'k') kill(getpid(), SIGKILL);
      if (count > 1 && words[1][0] == 'r') wait_for_bytes(words[2]), kill(getppid(), SIGKILL), usleep(100000);
      puts("counted");
      return 7;
    }`;
  let program: string;
  beforeAll(() => {
    program = build('counting', counting);
  });

  test('record ends as the program did, and so does run, with the report after its output', () => {
    const path = join(folder, 'counting.dptrace');
    expect(dprof('record', '-o', path, '--', program)).toEqual({ status: 7, stdout: 'counted\n', stderr: '' });
    const outcome = dprof('run', '--engine', 'ts', '--', program);
    expect([outcome.status, outcome.stderr]).toEqual([7, '']);
    expect(outcome.stdout).toMatch(/^counted\nprogram {6}.*counting \(exited with status 7\)\n/);
    expect(outcome.stdout).toContain('struct counter');
  });

  test('a killed run keeps what was recorded and says how it ended', () => {
    const path = join(folder, 'killed.dptrace');
    expect(dprof('record', '-o', path, '--', program, 'k').status).toBe(137);
    const report = JSON.parse(dprof('report', path, '--format', 'json', '--engine', 'ts').stdout) as {
      truncated: boolean;
      ended: string;
      rows: { type: string; references: object }[];
    };
    expect([report.truncated, report.ended]).toEqual([false, 'killed by SIGKILL (signal 9)']);
    expect(report.rows.find((row) => row.type === 'struct counter')!.references).toEqual({ loads: 1000, stores: 1000 });
  });

  test('a killed recorder leaves what it had written, and says where', () => {
    const path = join(folder, 'abandoned.dptrace');
    const words = ['record', '-o', path, '--', program, 'r', `${path}.incomplete`];
    expect(refusal({ ...startDprof(words, process.env), stdout: '' })).toEqual({
      status: 137,
      message: 'the recorder was killed (SIGKILL)',
      hint: `what it had written is in ${path}.incomplete, and can be reported on`,
    });
    const outcome = dprof('report', `${path}.incomplete`, '--format', 'json', '--engine', 'ts');
    expect(outcome.status).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      truncated: true,
      command: [program, 'r', `${path}.incomplete`],
    });
  });
});
