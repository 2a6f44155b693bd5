// Stage: test. `dprof run` of a program that can start no thread and load no module, and of which no trace is kept: its
// words reach the replay raw. Whatever happens meanwhile, the report is that of a recording.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runDprof, type Outcome } from '../cli/command-client.js';
import { build, FOLDER, ROOT } from './recorded.js';

const DPROF = join(ROOT, 'bin/dprof');
/** What must be kept would need a file, and there is no place for one: a run that ends well kept nothing. */
const environment = { ...process.env, TMPDIR: '/nowhere' };
const NOTHING_KEPT = ['--buffer', '4K'];
let program: string;

beforeAll(() => void (program = build('live-lone.c', ['-O1', '-g'])));

interface Report {
  readonly ended: string;
  readonly truncated: boolean;
  readonly totals: { readonly references: number };
  readonly rows: readonly { readonly type: string }[];
}
const parse = (text: string): Report => JSON.parse(text) as Report;

const command = (name: string, flags: readonly string[], words: readonly string[]): Outcome => {
  const { status, stdout, stderr } = spawnSync(DPROF, [name, ...flags, '--', program, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: environment,
    timeout: 60_000, // the two sides must not wait for one another
  });
  return { status, stdout, stderr };
};

let traces = 0;
/** The report of a recording with the same flags. */
function recorded(words: readonly string[], flags: readonly string[] = []): string {
  const trace = join(FOLDER, `lone-${traces++}.dptrace`);
  expect(command('record', [...flags, '--output', trace], words).status).toBe(7);
  return runDprof(['report', '--format', 'json', trace]).stdout;
}

/** How long the process ran while nothing was recorded differs from run to run. */
const withoutSeconds = (report: string): string => report.replace(/"closedSeconds": [^,\n}]+/, '');

test.each<[string, string[]]>([
  ['all of it', []],
  ['it begins late and stops early', ['--after', '1M', '--for', '2M']],
  ['only the beginning of each period', ['--burst', '100K/500K']],
  ['from one function to another', ['--from', 'clear', '--until', 'main']],
])('%s: the report of the run is the report of its recording', (_, flags) => {
  const words = ['at-once', '6000'];
  const live = command('run', ['--format', 'json', ...NOTHING_KEPT, ...flags], words);
  expect([live.status, live.stderr]).toEqual([7, '']);
  expect(parse(live.stdout).totals.references).toBeGreaterThan(100_000);
  expect(withoutSeconds(live.stdout)).toBe(withoutSeconds(recorded(words, flags)));
});

/** Started as the leader of a group, as a shell does; `when` sees what it prints on standard error so far. */
function start(
  words: readonly string[],
  when: (group: number, errors: string) => unknown,
): Promise<Outcome & { readonly signal: string | null }> {
  const flags = ['--format', 'json', '--progress', ...NOTHING_KEPT];
  const child = spawn(DPROF, ['run', ...flags, '--', program, ...words], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (texts.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => when(child.pid!, (texts.stderr += part.toString())));
  return new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal, ...texts })));
}

const PROGRESS =
  /dprof: live-lone\.c-\d+: ([\d,]+) references, [\d.]+ million\/s, \d+ s; L1 misses: struct cell [\d.]+%/;

/** The first line of progress brings these signals, 200 ms apart. */
function interruptedBy(words: readonly string[], signals: readonly NodeJS.Signals[], isOfAll: boolean) {
  let sent = 0;
  return start(words, (group, errors) => {
    if (sent > 0 || !PROGRESS.test(errors)) return;
    sent = signals.length;
    for (const [at, signal] of signals.entries())
      setTimeout(() => process.kill(isOfAll ? -group : group, signal), at * 200);
  });
}

test.concurrent('SIGUSR1 prints a report so far, and the run goes on to the same report', async () => {
  const words = ['slowly', '5000', '100'];
  const { status, stdout, stderr } = await interruptedBy(words, ['SIGUSR1'], false);
  const soFar = parse(stderr.slice(stderr.indexOf('{'), stderr.indexOf('\n}') + 2));
  expect([status, soFar.ended]).toEqual([7, 'still running: the report is of the run so far']);
  expect(soFar.totals.references).toBeGreaterThan(0);
  expect(soFar.totals.references).toBeLessThan(parse(stdout).totals.references);
  expect(soFar.rows.map((row) => row.type)).toContain('struct cell');
  expect(stdout).toBe(recorded(words));
});

test.concurrent('Ctrl-C ends the program, and the report so far says so', async () => {
  const { status, stdout, stderr } = await interruptedBy(['slowly', '20000', '1000'], ['SIGINT'], true);
  const { ended, truncated, totals } = parse(stdout);
  const killed = 'killed by SIGINT (signal 2); interrupted';
  expect([status, ended, truncated]).toEqual([128 + constants.signals.SIGINT, killed, true]);
  expect(totals.references).toBeGreaterThan(0);
  expect(stderr).toMatch(/still to be replayed: (about [\d,]+ references behind [\d,]+|what is under way)\. Again/);
});

test.concurrent('a second Ctrl-C ends the replay with the report of what was replayed until then', async () => {
  const { signal, stdout } = await interruptedBy(['stubborn', '50000', '250'], ['SIGINT', 'SIGINT'], true);
  const { ended, truncated, totals, rows } = parse(stdout);
  const left = 'interrupted: the report is of what was replayed until then';
  expect([signal, ended, truncated]).toEqual(['SIGINT', left, true]);
  expect(totals.references).toBeGreaterThan(0);
  expect(rows.map((row) => row.type)).toContain('struct cell');
});
