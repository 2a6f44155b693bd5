// Stage: command line -> runtime. A function's name and an executable -> where its code lies, from the ELF symbol
// table: "ADDRESS+BYTES".

import { DprofError } from '../base/dprof-error.js';
import { functionOf, type ElfFunction } from './elf-symbols.js';

export function findFunction(program: string, name: string): string {
  const found = find(program, name);
  if (found === undefined) {
    throw new DprofError(
      `${program} is no 64-bit ELF program, so its functions are not known`,
      'name the program itself, not a script, with --from and --until',
    );
  }
  if (found !== null) return `${found.address}+${found.bytes}`;
  throw new DprofError(
    `${program} has no function ${name}`,
    'name one as the linker knows it (C++: mangled); one that is inlined everywhere, or that strip removed, is none',
  );
}

function find(program: string, name: string): ElfFunction | null | undefined {
  try {
    return functionOf(program, name);
  } catch (error) {
    if (error instanceof DprofError) throw error;
    throw new DprofError(
      `cannot read ${program}: ${(error as Error).message}`,
      'with --from and --until, give the path of the program',
    );
  }
}
