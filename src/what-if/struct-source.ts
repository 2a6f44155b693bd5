// Stage: what-if -> compiler. Types of the catalog as C: what the compiler must know to lay them out is the size and
// alignment of each member, not what it is. Members are called m0, m1 ... by their place in the catalog.

import { DprofError } from '../base/dprof-error.js';
import { TYPE_KINDS, type Catalog } from '../contract/catalog.js';
import { MemberFlag } from '../trace/layout.js';
import { alignmentOf, elementOf, isArray, isRecord, membersOf, type StructChange } from './layout-change.js';

const UNION = TYPE_KINDS.indexOf('union');
/** By size in bytes. */
const SCALARS: Readonly<Record<number, string>> = {
  1: 'unsigned char',
  2: 'unsigned short',
  4: 'unsigned int',
  8: 'unsigned long',
  16: 'unsigned __int128',
};

/** The member that points to the cold part. */
export const POINTER = 'cold';

export class StructSource {
  private readonly written = new Set<number>();
  private readonly lines: string[] = [];

  /**
   * `prefix`: of the names. `attributes`: of some types, behind the word struct. `named`: types that others define.
   * `withPointer`: types with a pointer to their cold part. `opaque`: types of which only size and alignment are
   * written.
   */
  constructor(
    private readonly catalog: Catalog,
    private readonly prefix: string,
    private readonly changes: ReadonlyMap<number, StructChange> = new Map(),
    private readonly attributes: ReadonlyMap<number, string> = new Map(),
    private readonly named: ReadonlyMap<number, string> = new Map(),
    private readonly withPointer: ReadonlySet<number> = new Set(),
    private readonly opaque: ReadonlySet<number> = new Set(),
  ) {}

  /** How to name the type behind its definition. */
  add(type: number): string {
    const own = this.named.get(type);
    if (own !== undefined) return own;
    const word = this.catalog.types.kind[type] === UNION ? 'union' : 'struct';
    if (!this.written.has(type)) {
      this.written.add(type);
      const { align, cold, pad, order = membersOf(this.catalog, type) } = this.changes.get(type) ?? {};
      const body = this.body(
        type,
        order.filter((member) => cold?.has(member) !== true),
      );
      if (this.withPointer.has(type)) body.push(`  void *${POINTER};`);
      if (pad !== undefined) body.push(`  unsigned char pad[${pad}];`);
      const attribute = `${this.attributes.get(type) ?? ''}${align === undefined ? '' : aligned(align)}`;
      this.lines.push(`${word} ${attribute}${this.prefix}${type} {`, ...body, '};');
    }
    return `${word} ${this.prefix}${type}`;
  }

  /** How to name the type's cold part. */
  addCold(type: number): string {
    const { cold = new Set<number>(), order = [] } = this.changes.get(type) ?? {};
    const name = `struct ${this.prefix}${type}_cold`;
    const members = order.filter((member) => cold.has(member));
    this.lines.push(`${name} {`, ...this.body(type, members), '};');
    return name;
  }

  text(): string {
    return this.lines.join('\n');
  }

  private body(type: number, members: readonly number[]): string[] {
    const first = this.catalog.types.firstMember[type];
    return members.map((member) => `  ${this.member(type, member, `m${member - first}`)};`);
  }

  private member(owner: number, member: number, name: string): string {
    const { types, members } = this.catalog;
    const type = members.type[member];
    const align = this.changes.get(owner)?.memberAlign?.get(member);
    const alignment = align === undefined ? '' : aligned(align);
    const narrow = this.changes.get(owner)?.narrow?.get(member);
    if (narrow !== undefined) return `${alignment}${SCALARS[narrow]} ${name}`;
    if ((members.flags[member] & MemberFlag.bitField) !== 0) {
      const bits = members.bits[member] & 0xffff;
      if (bits === 0) throw this.unknown(owner, member);
      return `${alignment}${this.scalar(owner, member, type)} ${name} : ${bits}`;
    }
    if (!isArray(this.catalog, type)) return `${alignment}${this.spell(owner, member, type)} ${name}`;
    const element = elementOf(this.catalog, type);
    const text = this.spell(owner, member, element);
    if (types.sizeBytes[type] === 0) return `${alignment}${text} ${name}[0]`;
    const count = types.sizeBytes[type] / types.sizeBytes[element];
    if (!Number.isInteger(count)) throw this.unknown(owner, member);
    return `${alignment}${text} ${name}[${count}]`;
  }

  private spell(owner: number, member: number, type: number): string {
    const { types } = this.catalog;
    if (!isRecord(this.catalog, type)) return this.scalar(owner, member, type);
    if (this.opaque.has(type)) return bytesOf(types.sizeBytes[type], alignmentOf(this.catalog, type));
    if (types.memberCount[type] > 0 || this.named.has(type)) return this.add(type);
    // Nothing is known of its members.
    return bytesOf(types.sizeBytes[type], 8);
  }

  private scalar(owner: number, member: number, type: number): string {
    const text = SCALARS[this.catalog.types.sizeBytes[type]];
    if (text === undefined) throw this.unknown(owner, member);
    return text;
  }

  private unknown(owner: number, member: number): DprofError {
    const { types, members } = this.catalog;
    return new DprofError(
      `the trace does not say how '${members.name[member]}' of ${types.name[owner]} is laid out`,
      'write the type as it is to be, and give it with --header FILE',
      2,
    );
  }
}

/** Of no fields, and at most this alignment, if that divides the size. */
function bytesOf(size: number, most: number): string {
  const align = [8, 4, 2, 1].find((bytes) => bytes <= most && size % bytes === 0)!;
  return `struct { ${SCALARS[align]} m[${size / align}]; }`;
}

function aligned(bytes: number): string {
  return `__attribute__((aligned(${bytes}))) `;
}
