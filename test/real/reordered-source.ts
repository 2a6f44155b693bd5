// Stage: test. Source of C or C++ -> the same with the fields of one struct in another order.

/**
 * `head`: what the definition begins with, up to its brace. `fields`: those that come first, `*` for all others, as
 * `dprof what-if --reorder` has them. Comments in the body go, and so do lines of the preprocessor that `isKept` does
 * not name: all that stands between them is taken to be compiled.
 */
export function reorderFields(source: string, head: string, fields: readonly string[]): string {
  const begin = source.indexOf(head);
  if (begin < 0) throw new Error(`no '${head}' in the source`);
  const open = source.indexOf('{', begin + head.length - 1);
  const close = closingBrace(source, open);
  const body = source
    .slice(open + 1, close)
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/\/\/.*$/gm, '')
    .replace(/^[ \t]*#.*$/gm, '');
  const declared = new Map(declarations(body).map((one) => [nameOf(one), one]));
  const take = (name: string): string => {
    const one = declared.get(name);
    if (one === undefined) throw new Error(`${head}: no field '${name}' among ${[...declared.keys()].join(', ')}`);
    declared.delete(name);
    return one;
  };
  const star = fields.indexOf('*');
  const first = fields.slice(0, star < 0 ? fields.length : star).map(take);
  const last = star < 0 ? [] : fields.slice(star + 1).map(take);
  const all = [...first, ...declared.values(), ...last].map((one) => `  ${one.trim()};`);
  return `${source.slice(0, open + 1)}\n${all.join('\n')}\n${source.slice(close)}`;
}

function closingBrace(source: string, open: number): number {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    if (source[at] === '{') depth++;
    if (source[at] === '}' && --depth === 0) return at;
  }
  throw new Error('a brace is not closed');
}

/** What stands between semicolons outside of braces. */
function declarations(body: string): string[] {
  const found: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < body.length; at++) {
    if (body[at] === '{') depth++;
    if (body[at] === '}') depth--;
    if (body[at] !== ';' || depth > 0) continue;
    found.push(body.slice(from, at).replace(/\s+/g, ' '));
    from = at + 1;
  }
  return found;
}

/** `next` of "struct node *next", `run` of "void (*run)(int)", `bits` of "unsigned bits : 3". */
function nameOf(declaration: string): string {
  const text = declaration.replace(/\{[\s\S]*\}/, ' ').trim();
  const pointer = /\(\s*\*\s*(\w+)\s*\)\s*\(/.exec(text);
  if (pointer) return pointer[1];
  const plain = text.replace(/\s*:\s*\d+$/, '').replace(/(\s*\[[^\]]*\])+$/, '');
  return /(\w+)$/.exec(plain)?.[1] ?? plain;
}
