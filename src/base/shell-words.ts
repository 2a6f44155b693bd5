// Stage: all. A command as one text -> its words, as a shell splits them (POSIX, Shell Command Language, 2.2 Quoting):
// quotes and backslashes, no variables.

const BLANK = /[ \t\n]/; // no other: a carriage return or a no-break space is part of a word
const WORD = /(?:[^ \t\n"'\\]|\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"|'[^']*')+/y;
const NOTHING = /^(?:\\\n)+$/; // lines that go on
const PIECE = /\\([\s\S])|"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'/g;

/** null: a quote is not closed, or nothing follows a backslash. */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let at = 0; at < text.length; at = WORD.lastIndex) {
    if (BLANK.test(text[at])) {
      WORD.lastIndex = at + 1;
      continue;
    }
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return null;
    if (NOTHING.test(word)) continue;
    words.push(word.replace(PIECE, (_, escaped, double, single) => continued(escaped) ?? unescape(double) ?? single));
  }
  return words;
}

/** A line that a backslash ends goes on. */
function continued(letter: string | undefined): string | undefined {
  return letter === '\n' ? '' : letter;
}

/** Within double quotes a backslash is itself, but before these. */
function unescape(quoted: string | undefined): string | undefined {
  return quoted?.replace(/\\(?:(["\\$`])|\n)/g, (_, letter: string | undefined) => letter ?? '');
}
