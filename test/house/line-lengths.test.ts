// Stage: test of the house. No line of ours is longer than 120 characters.

import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { nativeSources, otherSources, typescriptSources } from '../../scripts/sources.mjs';

const LONGEST = 120;

/** The lines that cannot be broken: multi-line texts (of a program, or of an expected output) and patterns. */
function linesOfText(file: string, text: string): Set<number> {
  const lines = new Set<number>();
  if (!file.endsWith('.ts')) return lines;
  const lineOf = (position: number) => text.slice(0, position).split('\n').length - 1;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node as { type?: string; start: number; end: number };
    const isPattern = 'regex' in node;
    if (isPattern || type === 'TemplateLiteral') {
      const [first, last] = [lineOf(start), lineOf(end)];
      if (last > first || isPattern) for (let line = first; line <= last; line++) lines.add(line);
    }
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return lines;
}

test('lines have at most 120 characters', () => {
  const files = [...typescriptSources(), ...nativeSources(), ...otherSources()];
  expect(files.length).toBeGreaterThan(500);
  const long = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const found = text.split('\n').flatMap((line, index) => ([...line].length > LONGEST ? [index] : []));
    if (found.length === 0) return [];
    const isText = linesOfText(file, text);
    return found.filter((line) => !isText.has(line)).map((line) => `${file}:${line + 1}`);
  });
  expect(long).toEqual([]);
});
