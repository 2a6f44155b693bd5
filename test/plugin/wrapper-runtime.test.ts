// Stage: test of the runtime that dprof-cc links. It takes 64 bytes of each thread, and nobody sees what is inside it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './recorded-program.js';

const LIBRARY = join(process.env.DPROF_BUILD ?? join(ROOT, 'build'), 'lib');
const RUNTIME = join(LIBRARY, 'libdprof_runtime.so');

const read = (tool: string, ...args: string[]): string => execFileSync(tool, args, { encoding: 'utf8' });

/** Names that exports.map lists, with a star at the end where it has one. */
function exportList(): string[] {
  const text = readFileSync(join(ROOT, 'runtime/lib/exports.map'), 'utf8');
  return text
    .slice(text.indexOf('global:') + 7, text.indexOf('local:'))
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function definedBy(library: string): string[] {
  return read('nm', '-D', '--defined-only', library)
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/).at(-1)!);
}

test("thread-local storage is at most 64 bytes, of the initial-exec kind, and all others' is left alone", () => {
  const segment = /^\s*TLS\s+(?:0x\w+\s+){4}0x(\w+)/m.exec(read('readelf', '-lW', RUNTIME))!;
  expect(Number.parseInt(segment[1]!, 16)).toBeLessThanOrEqual(64);
  // The general kinds ask a function of the dynamic linker for an address.
  expect(read('nm', '-D', '--undefined-only', RUNTIME)).not.toContain('__tls_get_addr');
  expect(read('readelf', '-dW', RUNTIME)).toContain('STATIC_TLS');
});

test('it defines what it stands in front of, and __dprof_*, and nothing else', () => {
  const allowed = exportList();
  const isAllowed = (name: string): boolean =>
    allowed.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
  expect(definedBy(RUNTIME).filter((name) => !isAllowed(name))).toEqual([]);
  expect(definedBy(RUNTIME)).toContain('malloc');
  expect(definedBy(RUNTIME).filter((name) => /lz4|zstd|std::/i.test(name))).toEqual([]);
});

test('what programs are linked with has no operator new, nothing of OpenMP, and all the rest', () => {
  const isOfRunOnly = (name: string): boolean => /^(_Z(nw|na|dl|da)|omp|__kmpc_)/.test(name);
  expect(definedBy(join(LIBRARY, 'link/libdprof_runtime.so')).toSorted()).toEqual(
    definedBy(RUNTIME)
      .filter((name) => !isOfRunOnly(name))
      .toSorted(),
  );
});

test('it needs the C library only', () => {
  const needed = [...read('readelf', '-dW', RUNTIME).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map((match) => match[1]);
  expect(needed.filter((name) => !/^ld-linux/.test(name!))).toEqual(['libc.so.6']);
});
