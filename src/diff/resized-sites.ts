// Stage: profiles -> diff. Memory without a type is called by its size and the function that allocates it, and padding
// changes the size: `heap-1024@make` of one run and `heap-1088@make` of another are one row.

/** Sites of no known function have nothing in common. */
const UNKNOWN = '@(unknown)';
const SITE = /^((?:heap|pool)-)(\d+)(@.*)$/s;

/** The size in the name; null: the name says none. */
export function sizeInName(name: string): number | null {
  const size = SITE.exec(name)?.[2];
  return size === undefined ? null : Number(size);
}

/**
 * Names of `before` to those of `after`. A size that both have stays. The others of one function are paired by rank of
 * size if there are as many on both sides; else nobody can say which became which.
 */
export function pairResizedSites(before: Iterable<string>, after: Iterable<string>): Map<string, string> {
  const [own, other] = [new Set(before), new Set(after)];
  const [vanished, appeared] = [
    bySite([...own].filter((name) => !other.has(name))),
    bySite([...other].filter((name) => !own.has(name))),
  ];
  const pairs = new Map<string, string>();
  for (const [site, names] of vanished) {
    const becameThese = appeared.get(site) ?? [];
    if (becameThese.length === names.length) names.forEach((name, at) => pairs.set(name, becameThese[at]));
  }
  return pairs;
}

/** Names of each function, smallest size first. */
function bySite(names: readonly string[]): Map<string, string[]> {
  const sites = new Map<string, string[]>();
  for (const name of names) {
    const [, what, , site] = SITE.exec(name) ?? [];
    if (what === undefined || site === UNKNOWN) continue;
    const own = sites.get(what + site);
    if (own === undefined) sites.set(what + site, [name]);
    else own.push(name);
  }
  for (const own of sites.values()) own.sort((a, b) => sizeInName(a)! - sizeInName(b)!);
  return sites;
}
