// Stage: patch. C and C++ text between the places that clang names: comments, and where a declaration ends. A text has
// one character for each byte of its file, since clang counts bytes.

import { readFileSync } from 'node:fs';

export interface Token {
  readonly kind: 'comment' | 'code';
  readonly begin: number;
  readonly end: number;
}

const TOKEN =
  /\/\/(?:[^\n\\]|\\[\s\S])*|\/\*[\s\S]*?\*\/|"(?:\\[\s\S]|[^"\\\n])*"|\d(?:[\w.]|'\w)*|'(?:\\[\s\S]|[^'\\\n])*'|\w+|\S/g;
const OPENING = '([{';
const CLOSING = ')]}';

/** Null: it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

export function* tokensOf(text: string, from: number, to = text.length): Generator<Token> {
  const pattern = new RegExp(TOKEN);
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null && match.index < to; match = pattern.exec(text)) {
    const kind = /^\/[/*]/.test(match[0]) ? 'comment' : 'code';
    yield { kind, begin: match.index, end: match.index + match[0].length };
  }
}

/** Behind the next one of these characters that no bracket holds; -1: there is none. */
export function endAt(text: string, from: number, stops: string): number {
  let depth = 0;
  for (const { kind, begin, end } of tokensOf(text, from)) {
    if (kind === 'comment' || end !== begin + 1) continue;
    const one = text[begin];
    if (depth === 0 && stops.includes(one)) return end;
    if (OPENING.includes(one)) depth++;
    if (CLOSING.includes(one) && --depth < 0) return -1;
  }
  return -1;
}

/** What stands between commas, without comments. */
export function partsOf(text: string, from: number, to: number): string[] {
  const parts = [''];
  let depth = 0;
  for (const { kind, begin, end } of tokensOf(text, from, to)) {
    if (kind === 'comment') continue;
    const token = text.slice(begin, end);
    if (OPENING.includes(token)) depth++;
    if (CLOSING.includes(token)) depth--;
    if (depth === 0 && token === ',') parts.push('');
    else parts[parts.length - 1] += `${token} `;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** From 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** From 0. */
export function columnAt(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

export function hasNewline(text: string, from: number, to: number): boolean {
  const at = text.indexOf('\n', from);
  return at >= 0 && at < to;
}
