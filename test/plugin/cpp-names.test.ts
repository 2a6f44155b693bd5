// Stage: test. Names of C++ types and of the compiler's tables in a recorded program: as people write them, and no two
// rows that read alike.

import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dprof, makeFolder, run } from '../cli/command-line.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(import.meta.dirname, 'programs/names.cpp');

function typesOf(...flags: string[]): string[] {
  const folder = makeFolder();
  const [program, trace] = [join(folder, 'names'), join(folder, 'names.dptrace')];
  expect(run(join(ROOT, 'bin/dprof-c++'), '-std=c++17', '-g', ...flags, SOURCE, '-o', program).stderr).toBe('');
  expect(dprof('record', '-o', trace, '--', program).status).toBe(0);
  const view = JSON.parse(dprof('report', trace, '--view', 'data-profile', '--format', 'json').stdout);
  const { rows } = view as { rows: { type: string; site: string | null; receiver: string | null }[] };
  // Arrays of scalars have a row for each site.
  expect(new Set(rows.map(({ type, site, receiver }) => JSON.stringify([type, site, receiver]))).size).toBe(
    rows.length,
  );
  return rows.map(({ type }) => type);
}

test.each([['-O1'], ['-O1', '-gdwarf-4']])(
  '%s %s: default arguments are left off, and typedefs, strings and vtables go by their names',
  (...flags) => {
    const types = typesOf(...flags);
    expect(types).toEqual(
      expect.arrayContaining([
        'std::vector<int>',
        'std::string',
        'std::map<std::string, std::vector<const char *>>',
        'std::unordered_map<int, std::unique_ptr<Shape>>',
        'Ring<int>',
        'Ring<Ring<std::string>>',
        'Pack<int, std::string>',
        'Sized<8>',
        'uint64_t[]',
        'uint8_t[]',
        'pthread_t[]',
        'Flags[]',
        'vtable for Square',
        'vtable for Round',
      ]),
    );
    expect(types.filter((name) => /__cxx11|char_traits|> >|^unsigned long\[\]/.test(name))).toEqual([]);
    // An argument that is not the default stays.
    expect(types.some((name) => name.startsWith('std::_Rb_tree<') && name.includes('std::less<std::string>'))).toBe(
      true,
    );
  },
);
