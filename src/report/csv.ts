// Stage: views -> CSV (RFC 4180, LF). A view's rows, nested fields as dotted columns; every row has the columns of the first. In pieces.

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
    if (Array.isArray(field) && field.every((part) => typeof part === 'string')) into.set(prefix + name, field.join(' < '));
    else if (field !== null && typeof field === 'object') flatten(field, `${prefix}${name}.`, into);
    else into.set(prefix + name, field);
  }
  return into;
}

function quote(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
