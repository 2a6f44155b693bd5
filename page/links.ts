// Stage: HTML page. Addresses of places in the report: "#/struct-layout?type=struct+args".

export function linkTo(page: string, words: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(words).toString();
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

export function readLink(hash: string): { page: string; words: URLSearchParams } {
  const [page, query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { page, words: new URLSearchParams(query) };
}

/** "dir/file.c:12" to the line in the source pages. */
export function linkToSite(site: string): string {
  const colon = site.lastIndexOf(':');
  return linkTo('source', { file: site.slice(0, colon), line: site.slice(colon + 1) });
}

export function linkToType(type: string): string {
  return linkTo('struct-layout', { type });
}
