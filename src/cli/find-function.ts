// Stage: command line -> runtime. A function's name and an executable -> where its code lies, from the ELF symbol
// table: "ADDRESS+BYTES".

import { DprofError } from '../base/dprof-error.js';
import { readElf, type ElfSymbol } from './elf-symbols.js';

export function findFunction(program: string, name: string): string {
  const symbols = open(program);
  if (symbols === null) {
    throw new DprofError(
      `${program} is no 64-bit ELF program, so its functions are not known`,
      'name the program itself, not a script, with --from and --until',
    );
  }
  const found = symbols.find((symbol) => symbol.isFunction && symbol.size > 0n && symbol.name === name);
  if (found) return `${found.value}+${found.size}`;
  throw new DprofError(
    `${program} has no function ${name}`,
    'name one as the linker knows it (C++: mangled); one that is inlined everywhere, or that strip removed, is none',
  );
}

function open(program: string): readonly ElfSymbol[] | null {
  try {
    return readElf(program);
  } catch (error) {
    if (error instanceof DprofError) throw error;
    throw new DprofError(
      `cannot read ${program}: ${(error as Error).message}`,
      'with --from and --until, give the path of the program',
    );
  }
}
