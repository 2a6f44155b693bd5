// Stage: change -> patch. The alignment of a global variable in its definition.

import type { AstNode } from './clang-ast.js';
import type { Edit } from './edits.js';
import { rangeOf } from './record-definition.js';
import { Refusal } from './refusal.js';
import { endAt, partsOf } from './source-text.js';
import { fieldAlignment } from './struct-edits.js';

export function variableEdit(definition: AstNode, text: string, isCpp: boolean, bytes: number): Edit {
  const [begin] = rangeOf(definition);
  const end = endAt(text, begin, ';');
  if (end < 0 || partsOf(text, begin, end - 1).length > 1)
    throw new Refusal(`'${definition.name}' is declared together with others`);
  return { begin, end: begin, text: `${fieldAlignment(bytes, isCpp)} ` };
}
