// Stage: test of the house. Every file of ours is formatted, lint finds nothing, and no line is longer than 120
// characters.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { nativeSources, typescriptSources } from '../../scripts/sources.mjs';

const LONGEST = 120;

/** The lines that cannot be broken: multi-line texts (of a program, or of an expected output) and patterns. */
function linesOfText(file: string, text: string): Set<number> {
  const lines = new Set<number>();
  if (!file.endsWith('.ts')) return lines;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const visit = (node: ts.Node): void => {
    const isText = ts.isTemplateLiteral(node) || ts.isRegularExpressionLiteral(node);
    if (isText) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      if (last > first || ts.isRegularExpressionLiteral(node))
        for (let line = first; line <= last; line++) lines.add(line);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}

function run(command: string, ...words: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return { status, output: stdout + stderr };
}

test('TypeScript is formatted, and lint finds nothing', () => {
  const { status, output } = run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.');
  expect(status, output).toBe(0);
  expect(Number(/Checked (\d+) files/.exec(output)?.[1])).toBeGreaterThan(500);
});

test('C and C++ are formatted', () => {
  expect(run('clang-format-19', '--dry-run', '-Werror', ...nativeSources())).toEqual({ status: 0, output: '' });
});

test('lines have at most 120 characters', () => {
  const files = [...typescriptSources(), ...nativeSources()];
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
