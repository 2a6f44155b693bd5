// Stage: views -> text. Names as they are to be seen: what a terminal would obey, reorder or not show is spelled out,
// \x1b and \u{202e}.

/**
 * Control characters, marks that set the direction or have no width, lone surrogates. A tab too: a table's columns are
 * counted in characters.
 */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function spellVisibly(text: string): string {
  return text.replace(UNSEEN, (unseen) => {
    const code = unseen.charCodeAt(0);
    return SHORT[unseen] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
  });
}
