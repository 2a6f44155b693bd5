// Stage: profile -> views. Patterns of names, as --library takes them: * is anything, ? one character. All of the name
// must match; of a path, the part behind any of its slashes may.

export function matchesGlob(glob: string, name: string): boolean {
  const body = [...glob]
    .map((letter) => (letter === '*' ? '.*' : letter === '?' ? '.' : letter.replace(/[\\^$.|+()[\]{}]/g, '\\$&')))
    .join('');
  return new RegExp(`^(.*/)?${body}$`, 'su').test(name);
}
