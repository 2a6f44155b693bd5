// Stage: command line. The blocks of a view with their assembly, as dprof-blocks disassembles them; none of them runs.

import { existsSync } from 'node:fs';
import { measureBlocks } from '../blocks/measure-blocks.js';
import type { BlockPart, Blocks } from '../views/blocks.js';
import { requireNative } from './installation.js';

/** Behind a block: one that returns is disassembled and refused. */
const RETURN = 'c3';

export async function addAssembly(view: Blocks): Promise<Blocks> {
  const native = requireNative('blocks');
  if (!existsSync(native)) return view;
  const shown = view.rows.flatMap((row) => (row.parts.length > 0 ? row.parts : [row]));
  const codes = [...new Set(shown.map(({ code }) => code))];
  const answers = await measureBlocks(
    native,
    codes.map((code) => code + RETURN),
  );
  const assemblyOf = new Map(codes.map((code, index) => [code, answers[index].assembly.slice(0, -1)]));
  const disassemble = <Part extends BlockPart>(part: Part): Part => ({
    ...part,
    assembly: assemblyOf.get(part.code) ?? [],
  });
  return {
    ...view,
    rows: view.rows.map((row) =>
      row.parts.length > 0 ? { ...row, parts: row.parts.map(disassemble) } : disassemble(row),
    ),
  };
}
