// Stage: trace -> replay. Definitions of types to names: one that no other type has. A name says where its type is
// declared only if another type is called the same.

import { crc32 } from 'node:zlib';

/** What makes a struct, union or class the type that it is. */
export interface TypeDefinition {
  /** As the language writes it: "struct node". */
  readonly tag: string;
  readonly sizeBytes: number;
  /** As files are spelled; "" unknown. */
  readonly file: string;
  readonly line: number;
  /** `digestLayout` of its members. */
  readonly layout: string;
}

export interface DigestedMember {
  readonly name: string;
  readonly offsetBytes: number;
  readonly flags: number;
  readonly bits: number;
  /** Enough of its type to tell one layout from another. */
  readonly type: string;
}

/** Eight hexadecimal digits; "" for no members. */
export function digestLayout(members: readonly DigestedMember[]): string {
  if (members.length === 0) return '';
  const text = members.map(({ name, offsetBytes, flags, bits, type }) =>
    [name, offsetBytes, flags, bits, type].join('\t'),
  );
  return crc32(Buffer.from(text.join('\n')))
    .toString(16)
    .padStart(8, '0');
}

/**
 * The name of each, in their order; no two are the same. `isShared`: tags that another type has too, one that is not
 * among these.
 */
export function nameTypes(
  definitions: readonly TypeDefinition[],
  isShared: (tag: string) => boolean = () => false,
): readonly string[] {
  const count = (of: (definition: TypeDefinition) => string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const one of definitions) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1);
    return counts;
  };
  const place = ({ file, line }: TypeDefinition): string => (file === '' ? '' : `${file}:${line}`);
  const placed = (one: TypeDefinition): string => `${one.tag}\n${place(one)}`;
  const sized = (one: TypeDefinition): string => `${placed(one)}\n${one.sizeBytes}`;
  const [ofTag, ofPlace, ofSize] = [count(({ tag }) => tag), count(placed), count(sized)];
  return definitions.map((one) => {
    if (ofTag.get(one.tag) === 1 && !isShared(one.tag)) return one.tag;
    const isSizeNeeded = place(one) === '' || ofPlace.get(placed(one))! > 1;
    const isLayoutNeeded = ofSize.get(sized(one))! > 1;
    const words = [
      ...(place(one) === '' ? [] : [place(one)]),
      ...(isSizeNeeded ? [`${one.sizeBytes} bytes`] : []),
      ...(isLayoutNeeded && one.layout !== '' ? [`layout ${one.layout}`] : []),
    ].join(', ');
    // "struct (anonymous at util.c:3)" has its place already, without folders.
    return one.tag.endsWith(')') && one.tag.includes('(anonymous at ')
      ? one.tag.replace(/\(anonymous at [^()]*\)$/, `(anonymous at ${words})`)
      : `${one.tag} (${words})`;
  });
}
