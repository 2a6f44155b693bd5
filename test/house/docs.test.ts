// Stage: test. Docs, and comments that name docs, refer to nothing that is not in the repository.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anchorOf, checkedFiles, strayReferencesOfCode, strayReferencesOfPage } from './doc-references.js';

const ROOT = resolve(import.meta.dirname, '../..');

test('pages link to files, sections and paths that are there', () => {
  const { pages } = checkedFiles(ROOT);
  expect(pages).toContain('docs/definitions.md');
  expect(pages.flatMap((page) => strayReferencesOfPage(ROOT, page))).toEqual([]);
});

test('comments name pages and sections that are there', () => {
  const { code } = checkedFiles(ROOT);
  expect(code).toContain('src/sim/hierarchy.ts');
  expect(code.flatMap((file) => strayReferencesOfCode(ROOT, file))).toEqual([]);
});

describe('what is refused', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'dprof-docs-'));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/there.md'), '# There\n\n## Which way?\n\ntext <a id="by-hand"></a>\n');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test.each([
    ['[x](gone.md)', ['docs/page.md: the link gone.md leads nowhere']],
    ['[x](there.md#which-way) [x](there.md#by-hand) [x](https://example.org/gone.md) `[x](gone.md)`', []],
    ['[x](there.md#that-way)', ['docs/page.md: docs/there.md has no section #that-way']],
    ['# Here\n\n[x](#here) [x](#there)', ['docs/page.md: docs/page.md has no section #there']],
    [
      '`docs/gone.ts` `docs/there.md` `docs/` `node dist/docs/gone.js 7`',
      ['docs/page.md: `docs/gone.ts` is not there', 'docs/page.md: `dist/docs/gone.js` is not there'],
    ],
    ['```\n[x](gone.md)\n```\n', []],
    ['as docs/there.md, "That way", says', ['docs/page.md: docs/there.md has no section "That way"']],
    ['until issue 8', ['docs/page.md: "issue 8" is an issue, which is not in the repository']],
  ])('%j', (text, stray) => {
    expect(strayReferencesOfPage(root, 'docs/page.md', text)).toEqual(stray);
  });

  test.each([
    ['// docs/gone.md says it', ['x.ts: docs/gone.md is not there']],
    ['// docs/there.md,\n// "Which\n// way?" and more', []],
    [' * docs/there.md, "Which\n * road"', ['x.ts: docs/there.md has no section "Which road"']],
    ['// DESIGN.md, section 3', ['x.ts: "DESIGN.md" is a design page, which is not in the repository']],
  ])('in code: %j', (text, stray) => {
    expect(strayReferencesOfCode(root, 'x.ts', text)).toEqual(stray);
  });

  test('an anchor is what GitHub makes of a heading', () => {
    expect(anchorOf('`dprof.h`, and more: 2 [links](x.md)')).toBe('dprofh-and-more-2-links');
  });
});
