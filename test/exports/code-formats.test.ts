// Stage: test. callgrind.out, pprof, speedscope, collapsed stacks: read back by those who open them, number for number
// what the views say.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join as joinPath } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { Profile as PprofProfile } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { CALLGRIND_EVENTS, writeCallgrind } from '../../src/exports/callgrind.js';
import { writeCollapsed } from '../../src/exports/collapsed.js';
import { PPROF_SAMPLE_TYPES, writePprof } from '../../src/exports/pprof.js';
import { listSamples, MEASURES } from '../../src/exports/samples.js';
import { writeSpeedscope } from '../../src/exports/speedscope.js';
import type { Profile } from '../../src/profile/profile.js';
import { CLASSES, LEVELS } from '../../src/contract/machine.js';
import { spellVisibly } from '../../src/report/visible-text.js';
import { buildFunctions } from '../../src/views/functions.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { makeFolder } from '../cli/command-line.js';
import { asUtf8, hostile, join, plain, PROFILES } from './hostile-profile.js';
import type { LineMissRow, MissClassificationRow } from '../../src/views/miss-rows.js';

const folder = makeFolder();

/** Sums by key, of what is not 0. */
function addUp<Row>(
  rows: readonly Row[],
  key: (row: Row) => string,
  value: (row: Row) => number,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of rows) if (value(row) !== 0) sums[key(row)] = (sums[key(row)] ?? 0) + value(row);
  return sums;
}

const byField = (profile: Profile): MissClassificationRow[] =>
  buildMissClassification(profile, { by: 'field' }).rows as MissClassificationRow[];
const byLine = (profile: Profile): LineMissRow[] =>
  buildMissClassification(profile, { by: 'line' }).rows as LineMissRow[];
const nameField = (type: string, field: string | null): string => (field === null ? type : `${type}.${field}`);

describe.each(PROFILES)('%s', (_, profile) => {
  const totals = buildMissClassification(profile).totals;

  test('samples add up to the views by field, line and function, in every measure', () => {
    const samples = listSamples(profile);
    for (const level of LEVELS) {
      expect(
        addUp(
          samples,
          ({ type, field }) => nameField(type, field),
          ({ sums }) => sums.misses(level),
        ),
      ).toEqual(
        addUp(
          byField(profile),
          ({ type, field }) => nameField(type, field),
          ({ levels }) => levels[level].misses,
        ),
      );
      for (const name of CLASSES)
        expect(samples.reduce((sum, { sums }) => sum + sums.get(`${level}.${name}`), 0)).toBe(
          totals.levels[level].classes[name],
        );
    }
    expect(
      addUp(
        samples,
        (one) => one.function ?? '',
        ({ sums }) => sums.get('latencyCycles'),
      ),
    ).toEqual(
      addUp(
        [...buildFunctions(profile).rows],
        (row) => row.function ?? '',
        ({ latencyCycles }) => latencyCycles,
      ),
    );
  });

  test('callgrind.out: callgrind_annotate reads it without a word, and its numbers are ours', () => {
    const path = joinPath(folder, 'callgrind.out');
    writeFileSync(path, join(writeCallgrind(profile, {})));
    const { stdout, stderr, status } = spawnSync(
      'callgrind_annotate',
      ['--threshold=100', '--show-percs=no', '--auto=no', path],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
    const numbers = (line: string): number[] =>
      line
        .trim()
        .split(/\s+/)
        .slice(0, CALLGRIND_EVENTS.length)
        .map((count) => Number(count.replaceAll(',', '')));
    const programTotals = numbers(/^.*PROGRAM TOTALS$/m.exec(stdout)![0]);
    const { l1, l2, llc } = totals.levels;
    expect(programTotals).toEqual([
      l1.misses,
      l2.misses,
      llc.misses,
      ...CLASSES.map((name) => l1.classes[name]),
      totals.loads,
      totals.stores,
      totals.latencyCycles,
    ]);
    // Below the heading a line for each function: all counts, then file:function.
    const table = stdout
      .slice(stdout.indexOf('file:function'))
      .split('\n')
      .filter((line) => /^\s*[\d,]+\s/.test(line));
    const read = table.map((line) => ({
      counts: numbers(line),
      name: line
        .trim()
        .split(/\s+/)
        .slice(CALLGRIND_EVENTS.length)
        .join(' ')
        .replace(/ \[[^[]*\]$/, ''),
    }));
    const files = new Map(
      byLine(profile).map(({ line, function: name }) => [
        name,
        line === null ? '???' : spellVisibly(line.slice(0, line.lastIndexOf(':'))),
      ]),
    );
    const expected = buildFunctions(profile).rows.map((row) => ({
      counts: [
        row.levels.l1.misses,
        row.levels.l2.misses,
        row.levels.llc.misses,
        ...CLASSES.map((name) => row.levels.l1.classes[name]),
        row.references.loads,
        row.references.stores,
        row.latencyCycles,
      ],
      name: `${files.get(row.function)}:${spellVisibly(row.function ?? '???')}`,
    }));
    expect(read).toEqual(expected);
  });

  test('callgrind.out: every line has the costs of the view by line', () => {
    const lines = join(writeCallgrind(profile, {})).toString().split('\n');
    const costs = lines.filter((line) => /^\d+ /.test(line)).map((line) => line.split(' ').map(Number));
    const expected = byLine(profile).map(({ line, references, levels }) => [
      Number(line?.slice(line.lastIndexOf(':') + 1) ?? 0),
      levels.l1.misses,
      references.loads,
      references.stores,
    ]);
    const sort = (rows: number[][]): string[] => rows.map(String).sort();
    expect(sort(costs.map((cost) => [cost[0], cost[1], cost[9], cost[10]]))).toEqual(sort(expected));
    expect(
      lines.filter((line) => /^(summary|totals):/.test(line)).map((line) => line.replace(/^\w+/, '')),
    ).toHaveLength(2);
  });

  test('pprof: read back, each column by type, field, class and line', () => {
    const {
      sampleType,
      sample,
      location,
      function: functions,
      stringTable: { strings },
      timeNanos,
      defaultSampleType,
    } = PprofProfile.decode(gunzipSync(join(writePprof(profile, {}))));
    const text = (number: number | bigint): string => strings[Number(number)];
    expect(sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`)).toEqual([
      'references/count',
      'l1_misses/count',
      'l2_misses/count',
      'llc_misses/count',
      'cycles/cycles',
      'miss_cycles/cycles',
    ]);
    expect([text(defaultSampleType), BigInt(timeNanos)]).toEqual(['l1_misses', 1_700_000_000_000_000_000n]);
    const read = sample.map(({ value, label, locationId }) => {
      const labels = Object.fromEntries(label.map(({ key, str }) => [text(key), text(str)]));
      const [{ functionId, line }] = location.find(({ id }) => id === locationId[0])!.line;
      const own = functions.find(({ id }) => id === functionId)!;
      return { values: value.map(Number), labels, line: `${text(own.filename)}:${line}`, name: text(own.name) };
    });
    const columns = PPROF_SAMPLE_TYPES.map((__, column) =>
      addUp(
        read,
        ({ labels }) => nameField(labels.type, labels.field ?? null),
        ({ values }) => values[column],
      ),
    );
    const fields = byField(profile);
    const key = ({ type, field }: MissClassificationRow): string => asUtf8(nameField(type, field));
    expect(columns[0]).toEqual(addUp(fields, key, ({ references }) => references.loads + references.stores));
    LEVELS.forEach((level, index) => {
      expect(columns[1 + index]).toEqual(addUp(fields, key, ({ levels }) => levels[level].misses));
      for (const name of CLASSES) {
        expect(
          addUp(
            read,
            ({ labels }) => (labels.class === name ? nameField(labels.type, labels.field ?? null) : ''),
            ({ values, labels }) => (labels.class === name ? values[1 + index] : 0),
          ),
        ).toEqual(addUp(fields, key, ({ levels }) => levels[level].classes[name]));
      }
    });
    expect(columns[5]).toEqual(addUp(fields, key, ({ missLatencyCycles }) => missLatencyCycles));
    expect(read.reduce((sum, { values }) => sum + values[4], 0)).toBe(totals.latencyCycles);
    expect(
      addUp(
        read,
        ({ line, name }) => `${line} ${name}`,
        ({ values }) => values[1],
      ),
    ).toEqual(
      addUp(
        byLine(profile),
        ({ line, function: name }) => `${asUtf8(line ?? ':0')} ${asUtf8(name ?? '(unknown)')}`,
        ({ levels }) => levels.l1.misses,
      ),
    );
  });

  test('speedscope: valid by its own schema, and each profile is the view', () => {
    const file = JSON.parse(join(writeSpeedscope(profile, {})).toString()) as {
      activeProfileIndex: number;
      shared: { frames: { name: string }[] };
      profiles: { name: string; samples: number[][]; weights: number[]; endValue: number }[];
    };
    const schema = JSON.parse(
      readFileSync(createRequire(import.meta.url).resolve('speedscope/dist/release/file-format-schema.json'), 'utf8'),
    ) as object;
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    expect(file.profiles.map(({ name }) => name)).toEqual(MEASURES.map(({ title }) => title));
    const leaves = (index: number): { frames: string[]; weight: number }[] =>
      file.profiles[index].samples.map((stack, at) => ({
        frames: stack.map((frame) => file.shared.frames[frame].name),
        weight: file.profiles[index].weights[at],
      }));
    const fieldOf = ({ frames }: { frames: string[] }): string => frames.at(-2)!;
    const misses = leaves(file.activeProfileIndex);
    expect(addUp(misses, fieldOf, ({ weight }) => weight)).toEqual(
      addUp(
        byField(profile),
        ({ type, field }) => nameField(type, field),
        ({ levels }) => levels.l1.misses,
      ),
    );
    expect(
      addUp(
        misses,
        ({ frames: [type] }) => type,
        ({ weight }) => weight,
      ),
    ).toEqual(
      addUp(
        [...buildMissClassification(profile).rows].filter(({ field }) => field === null),
        ({ type }) => type,
        ({ levels }) => levels.l1.misses,
      ),
    );
    const ofRun = [
      totals.references,
      ...LEVELS.map((level) => totals.levels[level].misses),
      ...CLASSES.map((name) => totals.levels.l1.classes[name]),
      totals.latencyCycles,
      totals.missLatencyCycles,
    ];
    expect(file.profiles.map(({ endValue }) => endValue)).toEqual(ofRun);
    expect(file.profiles.map(({ weights }) => weights.reduce((sum, weight) => sum + weight, 0))).toEqual(ofRun);
  });

  test.each(MEASURES.map((measure) => [measure.name, measure] as const))(
    'collapsed stacks, %s: a line for each that is not 0, and the sums of speedscope',
    (__, measure) => {
      const lines = join(writeCollapsed(profile, {}, measure))
        .toString()
        .split('\n')
        .slice(0, -1);
      for (const line of lines) expect(line).toMatch(/^[^;]+(;[^;]+){1,2} [1-9]\d*$/);
      const read = lines.map((line) => ({
        frames: line.slice(0, line.lastIndexOf(' ')).split(';'),
        weight: Number(line.slice(line.lastIndexOf(' ') + 1)),
      }));
      const spelled = (name: string): string => spellVisibly(name).replaceAll(';', '\\x3b');
      expect(
        addUp(
          read,
          ({ frames }) => frames.at(-2)!,
          ({ weight }) => weight,
        ),
      ).toEqual(
        addUp(
          listSamples(profile),
          ({ type, field }) => spelled(nameField(type, field)),
          ({ sums }) => measure.of(sums),
        ),
      );
    },
  );
});

test('only what is asked for', () => {
  const sum = (filter: object): number =>
    listSamples(plain, filter).reduce((total, { sums }) => total + sums.misses('l1'), 0);
  expect([sum({}), sum({ type: 'struct args' }), sum({ field: 'sy' }), sum({ function: 'main' })]).toEqual([
    112, 90, 30, 1,
  ]);
});

test('hostile names stay one record each in formats of lines', () => {
  const text = join(writeCallgrind(hostile, {})).toString();
  expect(text.split('\n').filter((line) => line.startsWith('fn='))).toEqual([
    'fn=(1) (1) work\\er;42 7\\r\\n\\nfn=(9) other',
    'fn=(2) <img src=x onerror="alert(2)">\\t',
    'fn=(3) {main|<f0>}',
  ]);
  expect(text).toContain('cmd: ./"pairs"\\n<script> \\x00--fast;\\\n');
});

const hasGo = spawnSync('go', ['tool', 'pprof', '-h']).error === undefined;

test.runIf(hasGo)('go tool pprof reads it: totals of each sample type, and what the labels say', () => {
  const path = joinPath(folder, 'run.pprof');
  writeFileSync(path, join(writePprof(plain, {})));
  const ask = (...words: string[]): string =>
    execFileSync('go', ['tool', 'pprof', ...words, path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: folder,
    });
  expect(ask('-top', '-sample_index=l1_misses')).toMatch(/^Showing nodes accounting for 112, 100% of 112 total$/m);
  expect(ask('-top', '-sample_index=references')).toMatch(/^Showing nodes accounting for 468, 100% of 468 total$/m);
  expect(ask('-tags')).toMatch(
    / class: Total 112 of 112 .*\n +60 .*: false-sharing\n +34 .*: true-sharing\n +11 .*: capacity\n/,
  );
});
