// Stage: profile -> views. A type's layout as a tree of members at their offsets, nested ones under theirs, with the
// holes between them; and which member a field's path names.

import { MOST_DEPTH, MOST_NODES, type MemberLayout, type TypeLayout } from '../profile/layouts.js';

export interface MemberNode {
  readonly member: MemberLayout;
  /** The offset in the outermost type; for an array, that of its first element. */
  readonly offsetBytes: number;
  readonly depth: number;
  readonly children: readonly MemberNode[];
}

/** Bytes, or bits, that belong to no member. */
export interface Hole {
  readonly offsetBytes: number;
  /** Whole bytes; 0: bits only. */
  readonly sizeBytes: number;
  /** The bits that bit-fields leave of their storage unit; 0: whole bytes. */
  readonly sizeBits: number;
  /** The gap lies behind the last member. */
  readonly isPadding: boolean;
}

export function growTree(layouts: readonly TypeLayout[], layout: TypeLayout): readonly MemberNode[] {
  let budget = MOST_NODES;
  const grow = ({ members }: TypeLayout, base: number, depth: number): MemberNode[] =>
    members.flatMap((member) => {
      if (budget-- <= 0) return [];
      const nested = member.layout === undefined || depth > MOST_DEPTH ? undefined : layouts[member.layout];
      const offsetBytes = base + member.offsetBytes;
      return [
        { member, offsetBytes, depth, children: nested === undefined ? [] : grow(nested, offsetBytes, depth + 1) },
      ];
    });
  return grow(layout, 0, 1);
}

/** The members alone. */
export function flatTree(members: readonly MemberLayout[]): readonly MemberNode[] {
  return members.map((member) => ({ member, offsetBytes: member.offsetBytes, depth: 1, children: [] }));
}

/**
 * The members from the outermost to the innermost that the path names. The list is empty if the path names no member:
 * padding, the type as a whole.
 */
export function findMember(nodes: readonly MemberNode[], path: string): readonly MemberNode[] {
  for (const node of nodes) {
    const { name, isBase } = node.member;
    if (name === '' || isBase) {
      const inner = findMember(node.children, path);
      if (inner.length > 0) return [node, ...inner];
      continue;
    }
    if (!path.startsWith(name)) continue;
    const rest = path.slice(name.length).replace(/^(?:\[\])+/, '');
    if (rest === '') return [node];
    if (rest.startsWith('.')) return [node, ...findMember(node.children, rest.slice(1))];
  }
  return [];
}

/** The holes in ascending order. A union has a hole only behind its largest member. */
export function findHoles(
  { kind, sizeBytes }: Pick<TypeLayout, 'kind' | 'sizeBytes'>,
  nodes: readonly MemberNode[],
  base: number,
): readonly Hole[] {
  const holes: Hole[] = [];
  const sorted = [...nodes].sort((a, b) => beginOf(a) - beginOf(b));
  let cursor = base * 8;
  /** The end of the storage unit of the bit-field that ends at the cursor. */
  let unitEnd = cursor;
  const leave = (next: number, isPadding: boolean): void => {
    if (next <= cursor) return;
    const bits = cursor < unitEnd ? Math.min(unitEnd, next) - cursor : 0;
    if (bits > 0) holes.push({ offsetBytes: Math.floor(cursor / 8), sizeBytes: 0, sizeBits: bits, isPadding });
    const bytes = (next - cursor - bits) / 8;
    if (bytes >= 1)
      holes.push({ offsetBytes: Math.ceil((cursor + bits) / 8), sizeBytes: Math.floor(bytes), sizeBits: 0, isPadding });
  };
  for (const node of sorted) {
    if (kind !== 'union') leave(beginOf(node), false);
    const end = endOf(node);
    if (end > cursor) {
      cursor = end;
      unitEnd = node.member.isBitField ? unitEndOf(node) : cursor;
    }
    // The bits of this bit-field are unknown: it may have all bits up to the next member.
    if (node.member.isBitField && node.member.bits === undefined) {
      const next = sorted.find((other) => beginOf(other) > beginOf(node));
      cursor = Math.max(cursor, next === undefined ? (base + sizeBytes) * 8 : beginOf(next));
      unitEnd = cursor;
    }
  }
  leave((base + sizeBytes) * 8, true);
  return holes;
}

function beginOf({ offsetBytes, member }: MemberNode): number {
  return offsetBytes * 8 + (member.firstBit ?? 0);
}

function endOf(node: MemberNode): number {
  const { isBitField, bits, sizeBytes } = node.member;
  return beginOf(node) + (isBitField ? (bits ?? 1) : sizeBytes * 8);
}

/** Units are as large as the type and aligned to it. */
function unitEndOf(node: MemberNode): number {
  const unit = Math.max(8, node.member.sizeBytes * 8);
  return Math.ceil(endOf(node) / unit) * unit;
}

/** As pahole counts: bytes up to the storage unit, then the bit in it. */
export function placeOfBits(node: MemberNode): { readonly offsetBytes: number; readonly bit: number } {
  const unit = Math.max(8, node.member.sizeBytes * 8);
  const at = Math.floor(beginOf(node) / unit) * unit;
  return { offsetBytes: at / 8, bit: beginOf(node) - at };
}
