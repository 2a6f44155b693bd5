// Stage: test. No value is said to be what its type denies: a cast by way of another type hides what nobody checked.

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

test('no cast goes by way of another type', () => {
  const files = ['src', 'page'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  );
  expect(files.length).toBeGreaterThan(300);
  const casting = files.filter((file) =>
    /\bas (?:unknown|object|[A-Z]\w*(?:<[^>]*>)?(?:\[\])?) as\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(casting).toEqual([]);
});
