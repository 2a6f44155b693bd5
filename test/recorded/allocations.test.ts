// Stage: test. Blocks of the C++ operators and of malloc's family are each one object, whichever allocator is behind
// them, linked or preloaded.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { build, record, report } from './recorded.js';

const LIBRARIES = '/usr/lib/x86_64-linux-gnu';
/** Debian: libjemalloc2, libtcmalloc-minimal4, libmimalloc2.0. */
const ALLOCATORS = ['libjemalloc.so.2', 'libtcmalloc_minimal.so.4', 'libmimalloc.so.2.0'].map(
  (name) => `${LIBRARIES}/${name}`,
);
/** Allocated in functions that main calls, inlined or not. */
const INSIDE = [73, 120];
const BYTES = [8, 48, 128, 384, 61, 73, 62, 120, 63, 200000];

/** The number of blocks that the program names by their size, and how many of them were freed. */
function blocks(trace: string): Record<string, string> {
  const rows = report(trace, 'address-set').rows.filter(
    (row) =>
      row.kind === 'heap' && BYTES.includes(row.bytes) && (row.function === 'main' || INSIDE.includes(row.bytes)),
  );
  return Object.fromEntries(
    BYTES.map((bytes) => {
      const own = rows.filter((row) => row.bytes === bytes);
      return [bytes, `${own.length}, ${own.filter((row) => row.freedAt !== null).length} freed`];
    }),
  );
}

const EXPECTED = Object.fromEntries(BYTES.map((bytes) => [bytes, '1, 1 freed']));

it.each(['-O0', '-O2'])('the blocks of libc, at %s', (level) => {
  expect(blocks(record(build('allocations.cc', [level])))).toEqual(EXPECTED);
});

it('a preloaded library is loaded by the program, not by the recorder', () => {
  const folder = makeTemporaryFolder('preloaded');
  const [source, library, seen] = ['preloaded.c', 'preloaded.so', 'seen'].map((name) => join(folder, name));
  writeFileSync(
    source,
    `#include <fcntl.h>
     #include <stdio.h>
     #include <unistd.h>
     __attribute__((constructor)) static void loaded(void) {
       char name[200] = "";
       if (readlink("/proc/self/exe", name, sizeof name - 1) < 0) return;
       FILE *seen = fopen("${seen}", "a");
       fprintf(seen, "%s\\n", name);
       fclose(seen);
     }`,
  );
  execFileSync('clang-19', ['-shared', '-fPIC', source, '-o', library]);
  const program = build('allocations.cc', ['-O2']);
  expect(blocks(record(program, [], [], { LD_PRELOAD: library }))).toEqual(EXPECTED);
  const loaded = readFileSync(seen, 'utf8')
    .split('\n')
    .map((path) => basename(path));
  expect(loaded).toContain(basename(program));
  expect(loaded).not.toContain('dprof-record');
});

describe.each(ALLOCATORS)('%s', (library) => {
  // Where Debian's package is not installed there is nothing to test.
  it.runIf(existsSync(library))('preloaded', () => {
    expect(blocks(record(build('allocations.cc', ['-O2']), [], [], { LD_PRELOAD: library }))).toEqual(EXPECTED);
  });
  it.runIf(existsSync(library))('linked', () => {
    expect(blocks(record(build('allocations.cc', ['-O2', library])))).toEqual(EXPECTED);
  });
});
