// Stage: command line -> runtime. A function's name and an executable -> where its code lies, from the ELF symbol table: "ADDRESS+BYTES".

import { closeSync, openSync, readSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

const SYMBOL_TABLES = [2, 11]; // SHT_SYMTAB, SHT_DYNSYM
const SYMBOL_BYTES = 24;
const FUNCTION = 2; // STT_FUNC

export function findFunction(program: string, name: string): string {
  const file = open(program);
  try {
    const read = (offset: number, bytes: number): Buffer => {
      const buffer = Buffer.alloc(bytes);
      if (readSync(file, buffer, 0, bytes, offset) !== bytes) throw new DprofError(`${program} is cut short`, 'name the program itself, an ELF file');
      return buffer;
    };
    const header = read(0, 64);
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) {
      throw new DprofError(`${program} is no 64-bit ELF program, so its functions are not known`, 'name the program itself, not a script, with --from and --until');
    }
    const sections = readSections(header, read);
    for (const { type, link, offset, bytes } of sections) {
      if (!SYMBOL_TABLES.includes(type) || link >= sections.length) continue;
      const names = read(sections[link].offset, sections[link].bytes);
      const symbols = read(offset, bytes);
      for (let at = 0; at + SYMBOL_BYTES <= symbols.length; at += SYMBOL_BYTES) {
        const [nameAt, value, size] = [symbols.readUInt32LE(at), symbols.readBigUInt64LE(at + 8), symbols.readBigUInt64LE(at + 16)];
        if ((symbols[at + 4] & 15) === FUNCTION && size > 0n && nameAt < names.length && names.toString('utf8', nameAt, names.indexOf(0, nameAt)) === name) {
          return `${value}+${size}`;
        }
      }
    }
  } finally {
    closeSync(file);
  }
  throw new DprofError(`${program} has no function ${name}`, 'name one as the linker knows it (C++: mangled); one that is inlined everywhere, or that strip removed, is none');
}

interface Section {
  readonly type: number;
  readonly link: number;
  readonly offset: number;
  readonly bytes: number;
}

function readSections(header: Buffer, read: (offset: number, bytes: number) => Buffer): Section[] {
  const [offset, entryBytes, count] = [Number(header.readBigUInt64LE(40)), header.readUInt16LE(58), header.readUInt16LE(60)];
  if (entryBytes < 64) return [];
  const table = read(offset, entryBytes * count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes;
    return { type: table.readUInt32LE(at + 4), link: table.readUInt32LE(at + 40), offset: Number(table.readBigUInt64LE(at + 24)), bytes: Number(table.readBigUInt64LE(at + 32)) };
  });
}

function open(program: string): number {
  try {
    return openSync(program, 'r');
  } catch (error) {
    throw new DprofError(`cannot read ${program}: ${(error as Error).message}`, 'with --from and --until, give the path of the program');
  }
}
