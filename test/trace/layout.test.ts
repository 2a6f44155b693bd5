// Compiles a probe against the headers that own the bytes and compares every size, offset and constant with layout.ts.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as layout from '../../src/trace/layout.js';

const CONSTANTS: Record<string, readonly [string, Readonly<Record<string, number>>]> = {
  'enum dprof_chunk_kind': ['DPROF_CHUNK_', layout.ChunkKind],
  'enum dprof_slot_kind': ['DPROF_SLOT_', layout.SlotKind],
  'enum dprof_record_tag': ['DPROF_RECORD_', layout.RecordTag],
  'record flags': ['DPROF_RECORD_', layout.RecordFlag],
  'node flags': ['DPROF_NODE_', layout.NodeFlag],
  'enum dprof_variable_kind': ['DPROF_VARIABLE_', layout.VariableKind],
  'member flags': ['DPROF_MEMBER_', layout.MemberFlag],
  'enum dprof_event_code': ['DPROF_EVENT_', layout.EventCode],
  'enum dprof_allocator': ['DPROF_ALLOCATOR_', layout.Allocator],
  'enum dprof_mark_kind': ['DPROF_MARK_', { ...layout.MarkKind, textBytes: layout.MARK_TEXT_BYTES }],
  'enum dprof_mapping_kind': ['DPROF_MAPPING_', layout.MappingKind],
  'enum dprof_sync': ['DPROF_SYNC_', layout.Sync],
  'single constants': [
    'DPROF_',
    {
      traceVersion: layout.TRACE_VERSION,
      chunkMagic: layout.CHUNK_MAGIC,
      chunkMaxBytes: layout.CHUNK_MAX_BYTES,
      unitMagic: layout.UNIT_MAGIC,
      unitVersion: layout.UNIT_VERSION,
      sizeDynamic: layout.SIZE_DYNAMIC,
      offsetUnknown: layout.OFFSET_UNKNOWN,
      traceFlagAslr: layout.TRACE_FLAG_ASLR,
    },
  ],
};

const macroName = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

function runProbe(): Map<string, number> {
  const prints = Object.entries(layout.LAYOUT).flatMap(([struct, fields]) =>
    Object.keys(fields).map(
      (field) =>
        `P("${struct}.${field}", ` +
        `${field === 'size' ? `sizeof(struct ${struct})` : `offsetof(struct ${struct}, ${field})`});`,
    ),
  );
  for (const [prefix, names] of Object.values(CONSTANTS)) {
    for (const name of Object.keys(names))
      prints.push(`P("${prefix}${macroName(name)}", ${prefix}${macroName(name)});`);
  }
  const source = `#include <stddef.h>\n#include <stdio.h>\n#include "dprof/abi.h"\n#include "dprof/trace_format.h"
#define P(name, value) printf("%s %llu\\n", name, (unsigned long long)(value))
int main(void) { puts("magic " "0"); ${prints.join('\n')} printf("%s 1\\n", DPROF_TRACE_MAGIC); return 0; }\n`;
  const folder = mkdtempSync(join(tmpdir(), 'dprof-layout-'));
  try {
    writeFileSync(join(folder, 'probe.c'), source);
    execFileSync('clang-19', [
      '-I',
      join(process.cwd(), 'runtime/include'),
      join(folder, 'probe.c'),
      '-o',
      join(folder, 'probe'),
    ]);
    const lines = execFileSync(join(folder, 'probe'), { encoding: 'utf8' }).trim().split('\n');
    return new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('every struct and constant of the headers is what layout.ts says', () => {
  const expected = new Map<string, number>([
    ['magic', 0],
    [layout.TRACE_MAGIC, 1],
  ]);
  for (const [struct, fields] of Object.entries(layout.LAYOUT))
    for (const [field, value] of Object.entries(fields)) expected.set(`${struct}.${field}`, value);
  for (const [prefix, names] of Object.values(CONSTANTS))
    for (const [name, value] of Object.entries(names)) expected.set(`${prefix}${macroName(name)}`, value >>> 0);
  expect(Object.fromEntries(runProbe())).toEqual(Object.fromEntries(expected));
  expect(expected.size).toBeGreaterThan(170);
});
