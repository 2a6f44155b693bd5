// Stage: validation. Rows of typed samples -> how many samples are alike.

/** Most first, then by what they are. null: a row does not count. */
export function countSamples<Key extends object>(
  samples: Uint32Array,
  keyOf: (row: number) => Key | null,
): (Key & { readonly samples: number })[] {
  const groups = new Map<string, { key: Key; samples: number }>();
  samples.forEach((count, row) => {
    const key = keyOf(row);
    if (key === null) return;
    const name = Object.values(key).join('\n');
    const group = groups.get(name);
    if (group) group.samples += count;
    else groups.set(name, { key, samples: count });
  });
  return [...groups]
    .sort(([nameA, a], [nameB, b]) => b.samples - a.samples || (nameA < nameB ? -1 : 1))
    .map(([, { key, samples: count }]) => ({ ...key, samples: count }));
}
