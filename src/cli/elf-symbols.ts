// Stage: command line. The symbols of a 64-bit ELF file, from its symbol tables.

import { closeSync, openSync, readSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';

export const DYNAMIC_SYMBOLS = 11; // SHT_DYNSYM: what the dynamic linker goes by
const ALL_SYMBOLS = [2, DYNAMIC_SYMBOLS]; // SHT_SYMTAB
const SYMBOL_BYTES = 24;

export interface ElfSymbol {
  readonly name: string;
  readonly isFunction: boolean;
  /** Another file has it. */
  readonly isUndefined: boolean;
  readonly value: bigint;
  readonly size: bigint;
}

/** Null: no 64-bit ELF file. */
export function readElf(path: string, of = ALL_SYMBOLS): readonly ElfSymbol[] | null {
  const file = openSync(path, 'r');
  try {
    const read = (offset: number, bytes: number): Buffer => {
      const buffer = Buffer.alloc(bytes);
      if (readSync(file, buffer, 0, bytes, offset) !== bytes)
        throw new DprofError(`${path} is cut short`, 'name the program itself, an ELF file');
      return buffer;
    };
    const header = read(0, 64);
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) return null;
    const sections = readSections(header, read);
    const tables = sections.filter(({ type, link }) => of.includes(type) && link < sections.length);
    return tables.flatMap(({ offset, bytes, link }) =>
      readSymbols(read(offset, bytes), read(sections[link].offset, sections[link].bytes)),
    );
  } finally {
    closeSync(file);
  }
}

function readSymbols(table: Buffer, names: Buffer): ElfSymbol[] {
  return Array.from({ length: Math.floor(table.length / SYMBOL_BYTES) }, (_, index) => {
    const at = index * SYMBOL_BYTES;
    const name = table.readUInt32LE(at);
    return {
      name: name < names.length ? names.toString('utf8', name, names.indexOf(0, name)) : '',
      isFunction: (table[at + 4] & 15) === 2,
      isUndefined: table.readUInt16LE(at + 6) === 0,
      value: table.readBigUInt64LE(at + 8),
      size: table.readBigUInt64LE(at + 16),
    };
  });
}

interface Section {
  readonly type: number;
  readonly link: number;
  readonly offset: number;
  readonly bytes: number;
}

function readSections(header: Buffer, read: (offset: number, bytes: number) => Buffer): Section[] {
  const [offset, entryBytes, count] = [
    Number(header.readBigUInt64LE(40)),
    header.readUInt16LE(58),
    header.readUInt16LE(60),
  ];
  if (entryBytes < 64) return [];
  const table = read(offset, entryBytes * count);
  return Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes;
    return {
      type: table.readUInt32LE(at + 4),
      link: table.readUInt32LE(at + 40),
      offset: Number(table.readBigUInt64LE(at + 24)),
      bytes: Number(table.readBigUInt64LE(at + 32)),
    };
  });
}
