// Stage: test. The run of hand-made-run.ts, and the same one with names that someone chose to do harm.

import type { Profile } from '../../src/profile/profile.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';

const made = handMadeFlowProfile();

export const plain: Profile = { ...made, run: { ...made.run, recordedAt: 1_700_000_000 } };

/**
 * Quotes, newlines, backslashes, markup, direction marks, NUL, half a surrogate pair, and what each format takes for
 * syntax.
 */
export const HOSTILE: Readonly<Record<string, string>> = {
  'struct args': 'struct "args\\"\n<script>alert(1)</script>',
  'struct node': '\u202egnp.node\u202c; rm -rf & 1',
  sx: 's"x\0\u2066',
  sy: "s'y,\\n",
  next: 'half \ud800 of a pair',
  worker: '(1) work\\er;42 7\r\n\nfn=(9) other',
  'scan, "fast"': '<img src=x onerror="alert(2)">\t',
  main: '{main|<f0>}',
  'main.c': '../"main\n;.c" 99',
  int: 'int 12',
};

export const hostile: Profile = {
  ...plain,
  run: { ...plain.run, command: ['./"pairs"\n<script>', '\0--fast;\\'] },
  phases: [
    { name: 'warm "up"\n', time: 0 },
    { name: '</script>', time: 100 },
  ],
  strings: plain.strings.map((text) => HOSTILE[text] ?? text),
};

export const PROFILES = [
  ['plain names', plain],
  ['hostile names', hostile],
] as const;

/** As UTF-8 has it: half a pair is U+FFFD. */
export function asUtf8(text: string): string {
  return Buffer.from(text).toString();
}

export function join(parts: Iterable<string | Uint8Array>): Buffer {
  return Buffer.concat(Array.from(parts, (part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
