// Stage: test. `dprof annotate`: layouts as pahole sees them, counts as the miss classification has them, and what is
// said of sources that moved.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readProfile } from '../../src/profile/profile-reader.js';
import { encodeProfile } from '../../src/profile/profile-writer.js';
import type { Profile } from '../../src/profile/profile.js';
import { renderAnnotatedType } from '../../src/report/annotated-type-text.js';
import { chooseStyle } from '../../src/report/text-style.js';
import { annotateType, type AnnotatedMember } from '../../src/views/annotated-type.js';
import { annotateSource, listSourceFiles } from '../../src/views/annotated-source.js';
import { buildMissClassification } from '../../src/views/miss-classification.js';
import { dprof, DPROF } from '../cli/command-line.js';
import { askPahole, recordLayouts, SOURCE } from './recorded-layouts.js';
import type { LineMissRow } from '../../src/views/miss-rows.js';
import { outputOf } from '../cli/command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const TYPES = ['struct outer', 'struct packed', 'struct padded', 'struct aligned', 'union number'];

let program: string;
let folder: string;
let path: string;
let profile: Profile;

beforeAll(() => {
  const recorded = recordLayouts();
  ({ folder, program } = recorded);
  path = join(folder, 'layouts.dprofile');
  expect(dprof('replay', recorded.trace, '-o', path).stderr).toBe('');
  profile = readProfile(path);
});

const own = (rows: readonly AnnotatedMember[]): AnnotatedMember[] => rows.filter(({ depth }) => depth === 1);

test.each(TYPES)('%s: offsets, sizes, holes and padding are those of pahole', (type) => {
  const pahole = askPahole(program, type.replace(/^\w+ /, ''));
  const {
    rows,
    layouts: [facts],
  } = annotateType(profile, type);
  const members = own(rows).filter(({ row }) => row === 'member');
  expect(
    members.map(({ name, offsetBytes, sizeBytes, firstBit }) => ({
      name,
      offset: offsetBytes,
      size: sizeBytes,
      ...(firstBit !== undefined && { bit: firstBit }),
    })),
  ).toEqual(pahole.members);
  const holes = own(rows).filter(({ row }) => row === 'hole');
  expect(holes.filter(({ bits }) => bits === undefined).map(({ sizeBytes }) => sizeBytes)).toEqual(pahole.holes);
  expect(holes.filter(({ bits }) => bits !== undefined).map(({ bits }) => bits)).toEqual(pahole.bitHoles);
  const {
    size = facts.sizeBytes,
    cachelines = facts.cacheLines,
    members: count = facts.members,
    padding = 0,
    bit_padding = 0,
    ...sums
  } = pahole.facts;
  const says = 'size' in pahole.facts; // of a union it does not
  expect([facts.sizeBytes, facts.cacheLines, facts.members, facts.padding, facts.bitPadding]).toEqual([
    size,
    cachelines,
    count,
    says ? padding : 2,
    bit_padding,
  ]);
  if ('sum members' in sums)
    expect([facts.sumMembers, facts.holes, facts.sumHoles]).toEqual([
      sums['sum members'],
      sums.holes,
      sums['sum holes'],
    ]);
  if ('sum bitfield members' in sums)
    expect([facts.sumBits, facts.bitHoles, facts.sumBitHoles]).toEqual([
      sums['sum bitfield members'],
      sums['bit holes'],
      sums['sum bit holes'],
    ]);
});

test('lines of the cache begin where pahole says', () => {
  const text = renderAnnotatedType(annotateType(profile, 'struct outer'), chooseStyle({ columns: 132 }, {}));
  const drawn = [...text.matchAll(/--- cacheline (\d+) boundary(?: (\d+) bytes? ago)? ---/g)].map(([, line, ago]) => [
    Number(line),
    Number(ago ?? 0),
  ]);
  expect(drawn).toEqual(askPahole(program, 'outer').boundaries);
});

test.each(TYPES)(
  '%s: members and what names none add up to the type, and each field is what the miss classification says',
  (type) => {
    const { rows } = annotateType(profile, type);
    const [whole, ...rest] = rows;
    const sum = (get: (row: AnnotatedMember) => number): number =>
      own(rest)
        .filter(({ levels }) => levels !== undefined)
        .reduce((total, row) => total + get(row), 0);
    expect(sum(({ references }) => references!.loads)).toBe(whole.references!.loads);
    expect(sum(({ references }) => references!.stores)).toBe(whole.references!.stores);
    for (const level of ['l1', 'l2', 'llc'] as const)
      expect(sum(({ levels }) => levels![level].misses)).toBe(whole.levels![level].misses);
    const classified = buildMissClassification(profile).rows.filter((row) => row.type === type);
    expect(whole).toMatchObject({
      references: classified[0].references,
      missLatencyCycles: classified[0].missLatencyCycles,
      levels: classified[0].levels,
    });
    for (const { field, references, levels } of classified.slice(1)) {
      const name = field!.replaceAll('[]', '').split('.').at(-1);
      expect(
        rows.some(
          (row) =>
            row.name === name && JSON.stringify([row.references, row.levels]) === JSON.stringify([references, levels]),
        ),
        `${type}.${field}`,
      ).toBe(true);
    }
  },
);

test('100 nodes of four lines each: what each member missed', () => {
  const counts = own(annotateType(profile, 'struct outer').rows)
    .filter(({ references }) => references !== undefined && references.loads + references.stores > 0)
    .map(({ name, references }) => [name, references!.loads + references!.stores]);
  // Bit-fields are read and written back; sums read point and many once more, next is read by the second loop.
  expect(counts).toEqual([
    ['first', 100],
    ['bits_a', 200],
    ['bits_b', 200],
    ['one', 100],
    ['many', 200],
    ['', 100],
    ['either', 100],
    ['grid', 100],
    ['point', 200],
    ['next', 200],
    ['mask', 200],
    ['ok', 100],
    ['flexible', 100],
  ]);
});

test('members by misses: no holes between them', () => {
  const rows = own(annotateType(profile, 'struct outer', 'misses').rows);
  const misses = rows.map(({ levels }) => levels!.l1.misses);
  expect(misses).toEqual([...misses].sort((a, b) => b - a));
  expect(rows.filter(({ row }) => row !== 'member')).toEqual([]);
});

test('source: counts of each line are those of the miss classification by line, with its text', () => {
  const view = JSON.parse(outputOf(['annotate', path, '--format', 'json'])) as ReturnType<typeof annotateSource>;
  const counted = view.rows.filter(({ levels }) => levels !== undefined);
  const byLine = (buildMissClassification(profile, { by: 'line' }).rows as LineMissRow[]).filter(
    ({ line }) => line !== null && !line.endsWith(':0'),
  );
  const sorted = (rows: readonly { at: string | null; levels?: object }[]): object[] =>
    [...rows].sort((a, b) => (a.at! < b.at! ? -1 : 1));
  expect(
    sorted(counted.map(({ file, line, references, levels }) => ({ at: `${file}:${line}`, references, levels }))),
  ).toEqual(sorted(byLine.map(({ line, references, levels }) => ({ at: line, references, levels }))));
  const text = readFileSync(join(ROOT, SOURCE), 'utf8').split('\n');
  for (const row of view.rows) expect(row.text).toBe(text[row.line - 1]);
  expect(view.files).toMatchObject([{ file: SOURCE, source: 'read', path: join(ROOT, SOURCE) }]);
  expect(view.files[0].misses + view.nowhere.misses).toBe(view.totals.levels.l1.misses);
});

test('only lines near counts, unless all are asked for', () => {
  const lines = readFileSync(join(ROOT, SOURCE), 'utf8').trimEnd().split('\n');
  const source = new Map([[SOURCE, { state: 'read' as const, path: SOURCE, lines }]]);
  const near = annotateSource(profile, {}, [SOURCE], source, false).rows.map(({ line }) => line);
  const first = lines.findIndex((line) => line.startsWith('int main')) + 1;
  expect(near[0]).toBe(first - 3 + 1); // `list` is initialised on the line behind main's
  expect(annotateSource(profile, {}, [SOURCE], source, true).rows.map(({ line }) => line)).toEqual(
    lines.map((_, index) => index + 1),
  );
});

test('a file by the end of its name; a file that was not compiled: the closest as a hint', () => {
  expect(listSourceFiles(profile, { file: 'layouts.c' })).toEqual([SOURCE]);
  expect(listSourceFiles(profile, { file: 'programs/layouts.c' })).toEqual([SOURCE]);
  expect(() => listSourceFiles(profile, { file: 'ayouts.c' })).toThrow(
    expect.objectContaining({
      message: "no source file in this profile is named 'ayouts.c'",
      hint: `did you mean '${SOURCE}'?`,
    }),
  );
});

test(
  'sources that are missing or newer are said to be; --source-path finds them under what is left of their ' + 'names',
  () => {
    const moved = join(folder, 'moved/programs');
    mkdirSync(moved, { recursive: true });
    const copy = join(moved, 'layouts.c');
    copyFileSync(join(ROOT, SOURCE), copy);
    // As if it had been compiled where it is not.
    const foreign = join(folder, 'foreign.dprofile');
    const files = profile.files!.map((file) => (file.name === SOURCE ? { ...file, path: `/build/x/${SOURCE}` } : file));
    writeFileSync(foreign, Buffer.concat(encodeProfile({ ...profile, files })));
    const elsewhere = (...words: string[]): string =>
      execFileSync(DPROF, ['annotate', foreign, ...words], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, COLUMNS: '200' },
      });
    expect(elsewhere()).toContain(
      `the source is not there: functions instead; tried /build/x/${SOURCE}, ${SOURCE}; --source-dir FOLDER or ` +
        '--substitute-path FROM=TO says where to look\n',
    );
    expect(elsewhere()).toMatch(/│ function\n.* │ main\n/);
    utimesSync(copy, 1, 1);
    const found = elsewhere('--source-path', 'nowhere', '--source-path', join(folder, 'moved'));
    expect(found).not.toContain('was changed');
    expect(found).toContain('│     node->point.y = i;\n');
    writeFileSync(copy, `// moved\n${readFileSync(copy, 'utf8')}`);
    utimesSync(copy, Date.now() / 1000, Date.now() / 1000 + 3600);
    expect(elsewhere('--source-path', join(folder, 'moved'))).toContain(
      `was changed after the program ran: lines may have moved\n`,
    );
  },
);

test.each([60, 80, 120, 200])('text fits %i columns', (columns) => {
  const fits = (...words: string[]): string[] =>
    outputOf(['annotate', path, ...words], { COLUMNS: String(columns) }).split('\n');
  for (const words of [
    [],
    ['--all'],
    ['--sort', 'cycles'],
    ['--type', 'struct outer'],
    ['--type', 'struct outer', '--sort', 'misses', '--top', '2'],
  ]) {
    expect(fits(...words).filter((line) => line.length > columns)).toEqual([]);
  }
});

test('usage', () => {
  const refusal = (...words: string[]): string => dprof('annotate', path, ...words).stderr;
  expect(refusal('--type', 'struct outre')).toBe(
    "dprof: no struct, union or class with members that are known is named 'struct outre' in this " +
      "profile\nhint: did you mean 'struct outer', 'struct inner', 'struct packed'?\n",
  );
  expect(refusal('--type', 'struct outer', '--all')).toBe(
    'dprof: --all is for source, and --type shows a type\nhint: give one of them\n',
  );
  expect(refusal('--sort', 'offset')).toBe(
    'dprof: --sort offset is for the members of a type\nhint: give --type, or --sort misses\n',
  );
  expect(refusal('--type', 'long')).toBe(
    "dprof: no struct, union or class with members that are known is named 'long' in this profile\nhint: did " +
      "you mean 'point_t', 'union number', 'struct inner'?\n",
  );
  expect(refusal('--function', 'mian')).toBe(
    "dprof: no function in this profile is named 'mian'\nhint: did you mean 'main'?\n",
  );
});

test('of a program without structs: that it has none, and where what is no struct is shown', () => {
  const source = join(folder, 'plain.c');
  writeFileSync(source, 'int total; int main(void) { for (volatile int i = 0; i < 10; i++) total += i; return 0; }\n');
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', join(folder, 'plain')]);
  outputOf(['record', '-o', join(folder, 'plain.dptrace'), '--', join(folder, 'plain')]);
  const hint = (type: string): string =>
    dprof('annotate', join(folder, 'plain.dptrace'), '--type', type).stderr.split('\n')[1];
  expect(hint('struct nope')).toBe('hint: the program has none; dprof report lists its types');
  expect(hint('int')).toBe(
    "hint: the program has none; dprof report --view miss-classification --type 'int' shows what misses there",
  );
});
