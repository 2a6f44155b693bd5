// Stage: test. The program has the open files that `dprof record` was given, by the same numbers, and no others.

import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DPROF, DPROF_CC, makeFolder } from './command-line.js';

const folder = makeFolder();
const program = join(folder, 'files');

beforeAll(() => {
  writeFileSync(
    `${program}.c`,
    `
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  char link[32], to[4096];
  for (int file = 3; file < 40; file++) {
    sprintf(link, "/proc/self/fd/%d", file);
    long length = readlink(link, to, sizeof to);
    if (length > 0) printf("%d %.*s\\n", file, strncmp(to, "pipe:", 5) ? (int)length : 4, to);
  }
  if (count > 1) {
    alarm(900); // a hang
    close(4); // who reads from it waits no longer
    char text[64];
    long length = read(6, text, sizeof text);
    printf("read %.*s\\n", (int)length, text);
  }
}
`,
  );
  execFileSync(DPROF_CC, ['-O1', `${program}.c`, '-o', program]);
});

/** The shell's own files are not passed on. */
function recorded(given: string): string {
  return execFileSync('bash', ['-c', `${given.replace('PROGRAM', '"$0" record -o null -- "$1"')}`, DPROF, program], {
    encoding: 'utf8',
  });
}

function plain(given: string): string {
  return execFileSync('bash', ['-c', `${given.replace('PROGRAM', '"$1"')}`, '', program], { encoding: 'utf8' });
}

test.each([
  'PROGRAM',
  'PROGRAM 3</dev/null',
  'PROGRAM 4</dev/null 9</dev/zero 33</dev/full',
  'PROGRAM 3</dev/null | cat',
  'PROGRAM 5>&1 | cat',
  'PROGRAM 5>&1 6>&1 7<&0 >/dev/null | cat',
])('%s', (given) => {
  expect(recorded(given)).toBe(plain(given));
});

test('both ends of a pipe, as make gives them to what it starts', () => {
  const makefile = join(folder, 'makefile');
  writeFileSync(makefile, `recorded:\n\t+@${DPROF} record -o null -- ${program}\nplain:\n\t+@${program}\n`);
  const [once, again] = ['plain', 'recorded'].map(
    (goal) =>
      spawnSync('make', ['-j2', '-f', makefile, goal], { encoding: 'utf8', env: { ...process.env, MAKEFLAGS: '' } })
        .stdout,
  );
  expect(once).toMatch(/^3 pipe\n4 pipe\n/);
  expect(again).toBe(once);
});

test('neither dprof nor its recorder keep a file open that the program closes', () => {
  const given =
    'mkfifo "$1.there" "$1.back"; { cat "$1.there"; echo answer > "$1.back"; } & PROGRAM closes 4>"$1.there" ' +
    '6<>"$1.back"';
  expect(recorded(given)).toContain('read answer\n');
});

test('as many files may be open as without dprof', () => {
  const source = join(folder, 'limit');
  writeFileSync(
    `${source}.c`,
    `
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  printf("%d, %s\\n", (int)files.rlim_cur, getenv("DPROF_FILES") ? "told" : "not told");
}
`,
  );
  execFileSync(DPROF_CC, ['-O1', `${source}.c`, '-o', source]);
  const limited = execFileSync('sh', ['-c', 'ulimit -Sn 250; "$0" record -o null -- "$1"; true', DPROF, source], {
    encoding: 'utf8',
  });
  expect(limited).toBe('250, not told\n');
});
