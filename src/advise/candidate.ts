// Stage: advice. A change that may help, as dprof what-if takes it.

import type { FindingKind } from './problem.js';
import type { WhatIfRequest } from '../what-if/what-if.js';

export interface Candidate {
  /** What a person would do. */
  readonly text: string;
  readonly request: WhatIfRequest;
  /** What the problem is, if this is the change that helps it; undefined: what it seemed. */
  readonly tells?: FindingKind;
  /** Several changes at once. */
  readonly isTogether?: true;
}

type Words = Pick<
  WhatIfRequest,
  'reorder' | 'align' | 'pad' | 'padRows' | 'split' | 'narrow' | 'perThread' | 'pool' | 'interchange' | 'tile'
>;

const OPTIONS: Readonly<Record<keyof Words, string>> = {
  reorder: '--reorder',
  align: '--align',
  pad: '--pad',
  padRows: '--pad-rows',
  split: '--split',
  narrow: '--narrow',
  perThread: '--per-thread',
  pool: '--pool',
  interchange: '--interchange',
  tile: '--tile',
};

/** What repeats the prediction: dprof what-if TRACE with these. */
export function optionsOf({ request }: Candidate): string[] {
  const words = Object.entries(OPTIONS).flatMap(([key, option]) =>
    (request[key as keyof Words] ?? []).flatMap((word) => [option, word]),
  );
  return request.allocator === undefined ? words : [...words, '--allocator', request.allocator.name];
}

/** Of two changes that are one. */
export function candidateKey(candidate: Candidate): string {
  return optionsOf(candidate).join(' ');
}

/** The request of these options: all changes at once. */
export function together(
  changes: readonly { readonly text: string; readonly options: readonly string[] }[],
): Candidate {
  const words = new Map<string, string[]>();
  for (const { options } of changes)
    for (let at = 0; at < options.length; at += 2) {
      const own = words.get(options[at]) ?? [];
      if (!own.includes(options[at + 1])) words.set(options[at], [...own, options[at + 1]]);
    }
  const request = Object.fromEntries(Object.entries(OPTIONS).map(([key, option]) => [key, words.get(option)]));
  return { text: changes.map(({ text }) => text).join('; '), request, isTogether: true };
}

/** Types, arrays and variables that options change; not the fields that they name. */
export function subjectsOf(options: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at < options.length; at += 2) {
    const [option, word] = [options[at], options[at + 1]];
    const [upToColon] = word.split(': ', 1);
    const sign = word.lastIndexOf('=');
    const upToSign = sign < 0 ? word : word.slice(0, sign);
    if (upToColon !== word) found.add(upToColon);
    else if (option === OPTIONS.padRows) for (const name of upToSign.split(',')) found.add(name.replace(/\/\d+$/, ''));
    else found.add(upToSign).add(upToSign.replace(/\.[^.)]*$/, ''));
  }
  return found;
}
