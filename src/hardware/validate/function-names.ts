// Stage: validation. Names of functions to names that a program's debug information and its trace have in common: a
// trace leaves off template arguments that are the default, so both are compared without any.

/** "std::vector<int>::push_back" -> "std::vector::push_back"; operators keep their signs. */
export function bareFunction(name: string): string {
  if (!name.includes('<')) return name;
  let bare = '';
  let depth = 0;
  for (let at = 0; at < name.length; at++) {
    const sign = /^operator(?:<=>|<<=?|>>=?|->\*?|<=?|>=?)/.exec(name.slice(at, at + 11))?.[0];
    if (sign !== undefined && !/\w/.test(name[at - 1] ?? '')) {
      if (depth === 0) bare += sign;
      at += sign.length - 1;
    } else if (name[at] === '<') depth++;
    else if (name[at] === '>') depth = Math.max(0, depth - 1);
    else if (depth === 0) bare += name[at];
  }
  return bare;
}
