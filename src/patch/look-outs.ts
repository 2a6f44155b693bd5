// Stage: source -> patch. What a change of a struct can break elsewhere: places where the source counts on the order of
// its fields, or takes its bytes for something else.

import type { AstNode, Place } from './clang-ast.js';
import { endAt, partsOf } from './source-text.js';

export const LOOK_OUTS = {
  initialisers: 'initialisers by position',
  offsets: 'offsetof',
  bytes: 'its bytes compared, copied, read or written',
  casts: 'casts from or to another type',
} as const;
export type LookOut = keyof typeof LOOK_OUTS;

export interface FoundLookOut {
  readonly what: LookOut;
  readonly path: string;
  readonly offset: number;
}

/** Functions that take bytes; memset and the like only take room. */
const OF_BYTES =
  /^(?:__builtin_)?_*(?:mem(?:p?cpy|move|cmp)|bcopy|bcmp|p?(?:read|write)|f(?:read|write)(?:_unlocked)?|(?:send|recv)(?:to|from)?)(?:_chk)?$/;
const CASTS = ['CStyleCastExpr', 'CXXReinterpretCastExpr', 'CXXFunctionalCastExpr'];
const LISTS = ['InitListExpr', 'CXXParenListInitExpr'];

/** In a declaration, of the struct of these names. `textOf`: of a file; null: it is not to be read. */
export function findLookOuts(
  declaration: AstNode,
  names: readonly string[],
  textOf: (path: string) => string | null,
): FoundLookOut[] {
  const isStruct = (type: string | undefined): boolean => type !== undefined && names.includes(bareType(type));
  const isPointer = (type: string | undefined): boolean => type?.endsWith('*') === true && isStruct(type.slice(0, -1));
  const found: FoundLookOut[] = [];
  const add = (what: LookOut, node: AstNode): void => {
    const place = placeOf(node);
    if (place?.file !== undefined && place.offset !== undefined)
      found.push({ what, path: place.file, offset: place.offset });
  };
  const visit = (node: AstNode): void => {
    const { kind, inner = [] } = node;
    if (LISTS.includes(kind) && isStruct(typeOf(node)) && isByPosition(node, textOf)) add('initialisers', node);
    if (kind === 'OffsetOfExpr' && mentions(node, names, textOf)) add('offsets', node);
    if (
      kind === 'CallExpr' &&
      OF_BYTES.test(calleeOf(node)) &&
      inner.slice(1).some((one) => isPointer(typeOf(bare(one))))
    )
      add('bytes', node);
    if (CASTS.includes(kind) && node.castKind === 'BitCast') {
      const types = [typeOf(node), ...inner.map((one) => typeOf(bare(one)))];
      if (types.some(isPointer) && !types.every(isPointer) && !types.some(isVoid)) add('casts', node);
    }
    inner.forEach(visit);
  };
  visit(declaration);
  return found;
}

function typeOf({ type }: AstNode): string | undefined {
  return type?.desugaredQualType ?? type?.qualType;
}

/** "node" of "const struct node". */
export function bareType(type: string): string {
  return type.replace(/\b(?:const|volatile|restrict|struct|class)\b/g, '').trim();
}

function isVoid(type: string | undefined): boolean {
  return type !== undefined && /^(?:const |volatile )*void \*/.test(type);
}

/** Without the conversions that the compiler adds. */
function bare(node: AstNode): AstNode {
  const [inner] = node.inner ?? [];
  return /^(?:ImplicitCastExpr|ParenExpr)$/.test(node.kind) && inner !== undefined ? bare(inner) : node;
}

function calleeOf({ inner = [] }: AstNode): string {
  return (inner.length === 0 ? undefined : bare(inner[0]).referencedDecl?.name) ?? '';
}

/** Of what a macro makes: where the macro is used. */
function placeOf({ range, loc }: AstNode): Place | undefined {
  const place = range?.begin ?? loc;
  return place?.expansionLoc ?? place;
}

/** Clang's tree has no designators: the text says whether there are any. */
function isByPosition({ range }: AstNode, textOf: (path: string) => string | null): boolean {
  const [begin, end] = [range?.begin, range?.end];
  if (begin?.offset === undefined || end?.offset === undefined || begin.file === undefined) return true;
  const text = textOf(begin.file);
  if (text === null) return false;
  const isList = text[begin.offset] === '{' || text[begin.offset] === '(';
  const parts = isList ? partsOf(text, begin.offset + 1, end.offset) : [''];
  const isZero = parts.length === 1 && /^(?:\{ )*(?:0|NULL|nullptr)(?: \})*$/.test(parts[0]);
  return !isZero && parts.some((part) => !part.startsWith('.') && !/^\w+ :/.test(part));
}

/** offsetof, or a macro that uses it, up to the end of its brackets. */
function mentions(node: AstNode, names: readonly string[], textOf: (path: string) => string | null): boolean {
  const place = placeOf(node);
  const text = place?.file === undefined ? null : textOf(place.file);
  if (text === null || place?.offset === undefined) return false;
  const open = endAt(text, place.offset, '(');
  const close = open < 0 ? -1 : endAt(text, open, ')');
  const words = text.slice(place.offset, close).split(/\W+/);
  return close >= 0 && names.some((name) => words.includes(name));
}
