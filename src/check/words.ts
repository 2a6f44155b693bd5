// Stage: check. A command as one text -> its words, as a shell splits them: quotes and backslashes, no variables.

/** null: a quote is not closed. */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quote !== '' && letter === quote) quote = '';
    else if (quote === "'" || (quote === '"' && letter !== '\\')) word += letter;
    else if (letter === '\\') word = (word ?? '') + (text[++at] ?? '');
    else if (letter === "'" || letter === '"') [quote, word] = [letter, word ?? ''];
    else if (!/\s/.test(letter)) word = (word ?? '') + letter;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (quote !== '') return null;
  return word === undefined ? words : [...words, word];
}
