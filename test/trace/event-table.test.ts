// The table of events in the header that owns the bytes (DPROF_EVENTS of abi.h), printed by a probe, and the one of
// src/trace/event-table.ts say the same kinds, fields and encodings. docs/trace-format.md lists the same codes.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENTS, type EventField } from '../../src/trace/event-table.js';

/** The encodings that logged words have in the events column. */
const IN_COLUMN: Readonly<Record<string, EventField['encoding']>> = {
  STAMP: 'stamp',
  ADDRESS: 'address',
  NUMBER: 'number',
  END: 'number',
  INDEX: 'index',
  UNIT: 'index',
  VARIABLE: 'index',
  POINTER: 'pointer',
  TEXT: 'text',
};

const PROBE = `#include <stdio.h>
#include "dprof/abi.h"
#define KIND(name, code, fields) printf("kind %s %d %d\\n", #name, code, DPROF_EVENT_##name); fields
#define FIELD(encoding, name, when) printf("field %s %s %d\\n", #encoding, #name, when);
int main(void) { DPROF_EVENTS(KIND, FIELD) return 0; }
`;

interface Kind {
  readonly name: string;
  readonly code: number;
  readonly fields: { readonly name: string; readonly encoding: string; readonly when: number | null }[];
}

function tableOfHeader(): Kind[] {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-events-'));
  try {
    writeFileSync(join(folder, 'probe.c'), PROBE);
    const include = join(import.meta.dirname, '../../runtime/include');
    execFileSync('clang-19', ['-I', include, join(folder, 'probe.c'), '-o', join(folder, 'probe')]);
    const kinds: Kind[] = [];
    for (const line of execFileSync(join(folder, 'probe'), { encoding: 'utf8' }).trim().split('\n')) {
      const [what, first, second, third] = line.split(' ');
      if (what === 'kind') {
        expect(third, `code of ${first}`).toBe(second);
        kinds.push({ name: first, code: Number(second), fields: [] });
      } else {
        const when = Number(third) === -1 ? null : Number(third);
        kinds.at(-1)!.fields.push({ name: second, encoding: IN_COLUMN[first], when });
      }
    }
    return kinds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const inCapitals = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

test('both tables have the same kinds of events, with the same fields', () => {
  const own = Object.entries(EVENTS).map(
    ([name, { code, fields }]): Kind => ({
      name: inCapitals(name),
      code,
      fields: fields.map((field: EventField) => ({
        name: field.name,
        encoding: field.encoding,
        when: 'when' in field ? field.when! : null,
      })),
    }),
  );
  expect(tableOfHeader()).toEqual(own);
});

test('docs/trace-format.md has every kind of event with its code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/trace-format.md'), 'utf8');
  const rows = page
    .split('**events column**')[1]
    .split('\n\n')[1]
    .matchAll(/^\| (\d+) \| ([A-Z_]+) \|/gm);
  expect([...rows].map(([, code, name]) => [name, Number(code)])).toEqual(
    Object.entries(EVENTS).map(([name, { code }]) => [inCapitals(name), code]),
  );
});
