// Stage: test. Which files a profile can make `dprof annotate` and `dprof html` read: its names may be a hostile
// writer's, what is read is shown.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSources } from '../../src/cli/source-files.js';
import { makeFolder } from './command-line.js';

let folder: string;
const home = process.cwd();

const put = (name: string, text: string, mode: number): string => {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const stateOf = (file: string, folders: readonly string[] = []): string =>
  readSources([file], { sourcePath: folders }, undefined).get(file)!.state;

beforeAll(() => {
  folder = realpathSync(makeFolder());
});
afterAll(() => process.chdir(home));

test('pipes, devices, folders, what is too large and what has zero bytes are not read', () => {
  const pipe = join(folder, 'pipe.c');
  execFileSync('mkfifo', [pipe]);
  const link = join(folder, 'link.c');
  symlinkSync('/dev/zero', link);
  const large = put('large.c', '', 0o644);
  truncateSync(large, (1 << 24) + 1);
  const program = put('program', 'a\0b', 0o644);
  for (const path of [pipe, link, '/dev/zero', folder, large, program])
    expect([path, stateOf(path)]).toEqual([path, 'missing']);
});

test(
  'what others may not read is read below the current folder or where --source-path says, and not in hidden ' +
    'folders',
  () => {
    const open = put('elsewhere/open.c', 'int a;\n', 0o644);
    const own = put('elsewhere/own.c', 'int b;\n', 0o640);
    put('here/own.c', 'int c;\n', 0o600);
    const key = put('here/.keys/id', 'secret\n', 0o600);
    symlinkSync(own, join(folder, 'here/link.c'));
    process.chdir(join(folder, 'here'));
    expect([open, own, 'own.c', key, '.keys/id', 'link.c', '../elsewhere/own.c'].map((file) => stateOf(file))).toEqual([
      'read',
      'private',
      'read',
      'private',
      'private',
      'private',
      'private',
    ]);
    expect(readSources([own], { sourcePath: [join(folder, 'elsewhere')] }, undefined).get(own)).toEqual({
      state: 'read',
      path: own,
      lines: ['int b;'],
    });
    // .. leads out of no folder of --source-path
    expect(stateOf('../../etc/own.c', [join(folder, 'elsewhere')])).toBe('read');
    const rule = { from: '/src', to: join(folder, 'here') };
    const files = [{ spelling: 'a', name: 'a', path: '/src/../elsewhere/own.c' }];
    expect(readSources(['a'], { substitutePath: [rule], files }, undefined).get('a')).toMatchObject({
      state: 'missing',
      tried: [join(folder, 'here/elsewhere/own.c'), 'a'],
    });
  },
);

test('all files together have a limit', () => {
  const one = put('one.c', 'x'.repeat(1 << 24), 0o644);
  const names = Array.from({ length: 20 }, (_, index) => join(folder, `${index}.c`));
  for (const name of names) symlinkSync(one, name);
  expect([...readSources(names, {}, undefined).values()].filter(({ state }) => state === 'read')).toHaveLength(16);
});
