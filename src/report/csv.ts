// Stage: views -> CSV (RFC 4180, LF). A view's rows, nested fields as dotted columns, lists as one; every row has the columns of the first. In pieces.

export function* renderCsv(rows: readonly object[]): Generator<string> {
  if (rows.length === 0) return;
  const names = [...flatten(rows[0]).keys()];
  yield `${names.map(quote).join(',')}\n`;
  for (const row of rows) {
    const flat = flatten(row);
    yield `${names.map((name) => quote(flat.get(name))).join(',')}\n`;
  }
}

function flatten(value: object, prefix = '', into = new Map<string, unknown>()): Map<string, unknown> {
  for (const [name, field] of Object.entries(value)) {
    if (Array.isArray(field)) into.set(prefix + name, joinParts(field));
    else if (field !== null && typeof field === 'object') flatten(field, `${prefix}${name}.`, into);
    else into.set(prefix + name, field);
  }
  return into;
}

/** One column, however long the list is: a path's functions "a < b", numbers "1 2", objects by their values "12-15:40 0:3". */
function joinParts(parts: readonly unknown[]): string {
  if (parts.every((part) => typeof part === 'string')) return parts.join(' < ');
  return parts.map((part) => (part !== null && typeof part === 'object' ? Object.values(part).join(':') : String(part))).join(' ');
}

function quote(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
