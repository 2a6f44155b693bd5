// Stage: profile -> advice. What a run made of the members of each struct, those objects included in which the struct
// is itself a member.

import type { MemberLayout, TypeLayout } from '../profile/layouts.js';
import { UNION_LEAF } from '../trace/leaf-table.js';
import type { CostRow, FieldCost } from '../views/class-costs.js';
import { findMember, growTree, type MemberNode } from '../views/member-tree.js';

export interface FieldUse {
  readonly references: number;
  /** Estimated cycles. */
  readonly cycles: number;
}

export interface StructUse {
  /** All of it, what names no field included: copies of the whole. */
  readonly whole: FieldUse;
  /** In the order of the layout's members. */
  readonly members: readonly FieldUse[];
}

/** What the run as it was made of a type. */
export interface UsedRow extends Pick<CostRow, 'type' | 'references' | 'missLatencyCycles'> {
  readonly fields: readonly Pick<FieldCost, 'field' | 'references' | 'missLatencyCycles'>[];
}

export const NO_USE: FieldUse = { references: 0, cycles: 0 };

/** The fewest that have this part of all there is, most first. */
export function hottest<Use extends FieldUse>(uses: readonly Use[], of: keyof FieldUse, part: number): Use[] {
  const all = uses.reduce((sum, use) => sum + use[of], 0);
  const hot: Use[] = [];
  let sum = 0;
  for (const use of [...uses].sort((a, b) => b[of] - a[of])) {
    if (sum >= all * part || use[of] === 0) break;
    sum += use[of];
    hot.push(use);
  }
  return hot;
}

/** Of each layout. */
export function structUses(
  rows: readonly UsedRow[],
  layouts: readonly TypeLayout[],
): ReadonlyMap<TypeLayout, StructUse> {
  const uses = new Map(layouts.map((layout) => [layout, new UseSums(layout)]));
  for (const row of rows) {
    const layout = layouts.find(({ name }) => name === row.type);
    if (layout === undefined) continue;
    uses.get(layout)!.addWhole({ references: row.references, cycles: row.missLatencyCycles });
    const tree = growTree(layouts, layout);
    for (const { field, references, missLatencyCycles: cycles } of row.fields) {
      let owner: TypeLayout | undefined = layout;
      for (const { member } of nodesOf(tree, field)) {
        uses.get(owner)!.addMember(member, { references, cycles });
        owner = member.layout === undefined ? undefined : layouts[member.layout];
        if (owner === undefined) break;
        uses.get(owner)!.addWhole({ references, cycles });
      }
    }
  }
  return uses;
}

/** From the outermost member to the innermost. */
function nodesOf(tree: readonly MemberNode[], field: string): readonly MemberNode[] {
  if (field !== UNION_LEAF) return findMember(tree, field);
  return tree.filter(({ member }) => member.name === '' && !member.isBase).slice(0, 1);
}

class UseSums implements StructUse {
  whole = NO_USE;
  readonly members: FieldUse[];

  constructor(private readonly layout: TypeLayout) {
    this.members = layout.members.map(() => NO_USE);
  }

  addWhole(use: FieldUse): void {
    this.whole = plus(this.whole, use);
  }

  addMember(member: MemberLayout, use: FieldUse): void {
    const at = this.layout.members.indexOf(member);
    this.members[at] = plus(this.members[at], use);
  }
}

function plus(a: FieldUse, b: FieldUse): FieldUse {
  return { references: a.references + b.references, cycles: a.cycles + b.cycles };
}
