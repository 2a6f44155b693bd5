import { expect, test } from 'vitest';
import { buildExample, record, report, workFolder, type ExampleName } from './example-program.js';
import { runDprof } from '../cli/command-client.js';

function recordExample(name: ExampleName): string {
  const folder = workFolder(`threads-${name}`);
  const trace = `${folder}/${name}.dptrace`;
  expect(record(trace, [buildExample(name, 'dprof', ['-O2'], folder)]).status).toBe(0);
  return trace;
}

interface SharedRow {
  readonly file: string;
  readonly line: number;
  readonly variable: string;
  readonly totalcount: number;
  readonly threads: Readonly<Record<string, number>>;
}

function sharedVariables(trace: string): { rows: readonly SharedRow[]; addresses: { shared: number; kept: number } } {
  return report(trace, 'shared-variables') as unknown as ReturnType<typeof sharedVariables>;
}

/** The program must free nothing while it runs, so that an address means one thing throughout. */
function countAddresses(trace: string): { shared: number; kept: number; accesses: number } {
  const dump = runDprof(['dump', trace, '--references']);
  const byAddress = new Map<string, Map<string, number>>();
  for (const [core, , address] of dump.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))) {
    const counts = byAddress.get(address) ?? new Map<string, number>();
    byAddress.set(address, counts.set(core, (counts.get(core) ?? 0) + 1));
  }
  const shared = [...byAddress.values()]
    .map((counts) => [...counts.values()].sort((a, b) => b - a))
    .filter((counts) => counts.length > 1);
  const kept = shared.filter(([busiest, next]) => busiest < 2 * next);
  return { shared: shared.length, kept: kept.length, accesses: kept.flat().reduce((sum, count) => sum + count, 0) };
}

test('one command finds the variable that both threads update, and the line that does it', () => {
  const { rows } = sharedVariables(recordExample('true-sharing'));
  expect(rows[0]).toMatchObject({
    line: 17,
    variable: 'statistics.requests',
    threadcount: 2,
    totalcount: 100_000,
    threads: { 1: 50_000, 2: 50_000 },
  });
  expect(rows[0].file).toMatch(/examples\/true-sharing\/true-sharing\.c$/);
});

test('fields beside each other are no shared variables', () => {
  expect(sharedVariables(recordExample('false-sharing')).rows).toEqual([]);
});

test.each(['striped-table', 'true-sharing', 'false-sharing'] as const)(
  '%s: as many addresses and accesses as the references say',
  (name) => {
    const trace = recordExample(name);
    const { rows, addresses } = sharedVariables(trace);
    const counted = countAddresses(trace);
    expect([addresses.shared, addresses.kept, rows.reduce((sum, { totalcount }) => sum + totalcount, 0)]).toEqual([
      counted.shared,
      counted.kept,
      counted.accesses,
    ]);
  },
);

test('a lock has the acquisitions and references of the source, however the workers took turns', () => {
  const [lock, ...others] = report(recordExample('locked-queue'), 'locks').rows as unknown as readonly Record<
    string,
    unknown
  >[];
  expect(others).toEqual([]);
  // 20,000 tasks and two looks at the empty list; first: 20,002 loads, taken: a load and a store with each task, first
  // stored with each.
  expect(lock).toMatchObject({
    lock: 'queue.lock',
    kind: 'mutex',
    locks: 1,
    acquisitions: 20_002,
    holds: 20_002,
    unreleased: 0,
    references: 100_002,
  });
  const references = Object.fromEntries(
    (lock.data as { type: string; references: number }[]).map((part) => [part.type, part.references]),
  );
  expect(references).toEqual({ 'struct queue': 80_002, 'struct task': 20_000 });
});

test('a profile keeps shared variables where the replay was asked for them, and says so where not', () => {
  const trace = recordExample('true-sharing');
  const [with_, without] = ['with', 'without'].map((name) => `${trace}.${name}.dprofile`);
  expect(runDprof(['replay', trace, '--shared-variables', '-o', with_]).status).toBe(0);
  expect(runDprof(['replay', trace, '-o', without]).status).toBe(0);
  expect(sharedVariables(with_)).toEqual(sharedVariables(trace));
  const refused = runDprof(['report', without, '--view', 'shared-variables']);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    'dprof: shared variables were not collected when this profile was made\nhint: dprof report TRACE --view ' +
      'shared-variables, or dprof replay TRACE --shared-variables -o PROFILE\n',
  ]);
  expect(report(with_, 'locks')).toEqual(report(without, 'locks'));
});
