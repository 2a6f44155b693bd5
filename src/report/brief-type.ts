// Stage: advice -> text. Long names of C++ types in a line of a list: what stands in <> is left out, and if that is not
// enough, what stands between the first and the last name.

const LONGEST = 32;

/** "leveldb::SkipList<const char *, leveldb::MemTable::KeyComparator>::Node" as "leveldb::SkipList<…>::Node". */
export function briefType(type: string): string {
  if (type.length <= LONGEST) return type;
  const folded = foldArguments(type);
  const names = folded.split('::');
  return folded.length <= LONGEST || names.length < 3 ? folded : `${names[0]}::…::${names[names.length - 1]}`;
}

/** As it was, if its brackets do not match: then some are operators. */
function foldArguments(type: string): string {
  let [depth, folded] = [0, ''];
  for (const sign of type) {
    if (sign === '<' && depth++ === 0) folded += '<…>';
    else if (sign === '>' && --depth < 0) return type;
    else if (depth === 0 && sign !== '>') folded += sign;
  }
  return depth === 0 ? folded : type;
}
