// Stage: command line. An option that may stand several times: its values in a list.

export function collectWords(word: string, before: readonly string[] = []): string[] {
  return [...before, word];
}
