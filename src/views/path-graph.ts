// Stage: profile -> views. The paths of one type to one graph: first the tree of their common beginnings, then nodes of one place with the same
// continuations as one. docs/data-flow.md, "The graph".

export type NodeKind = 'allocation' | 'step' | 'free' | 'end';

/** What a node stands for: equal keys are one place. */
export interface Stop<Place> {
  readonly kind: NodeKind;
  readonly key: string;
  readonly place: Place;
  readonly changesCore: boolean;
  readonly references: number;
  readonly latencyCycles: number;
}

export interface GraphNode<Place> {
  readonly id: number;
  readonly kind: NodeKind;
  readonly place: Place;
  readonly objects: number;
  readonly references: number;
  readonly latencyCycles: number;
}

/** `references` and `latencyCycles`: of the step that it leads to, by the objects that came along it. */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly objects: number;
  readonly coreChanges: number;
  readonly references: number;
  readonly latencyCycles: number;
}

interface Counts {
  objects: number;
  coreChanges: number;
  references: number;
  latencyCycles: number;
}

interface Branch<Place> extends Counts {
  readonly kind: NodeKind;
  readonly key: string;
  readonly place: Place;
  readonly next: Map<string, Branch<Place>>;
}

/** A branch of the tree, or several that are alike. */
interface Shape<Place> extends Counts {
  readonly kind: NodeKind;
  readonly place: Place;
  readonly number: number;
  readonly edges: Map<Shape<Place>, Counts>;
}

export class PathGraph<Place> {
  readonly #roots = new Map<string, Branch<Place>>();

  /** A path from its allocation to its end, of so many objects. */
  add(stops: readonly Stop<Place>[], objects: number): void {
    let level = this.#roots;
    for (const { kind, key, place, changesCore, references, latencyCycles } of stops) {
      let branch = level.get(key);
      if (branch === undefined) level.set(key, (branch = { kind, key, place, next: new Map(), ...nothing() }));
      addCounts(branch, { objects, coreChanges: changesCore ? objects : 0, references, latencyCycles });
      level = branch.next;
    }
  }

  /** Each node comes behind all that lead to it; most objects first. */
  freeze(): { nodes: GraphNode<Place>[]; edges: GraphEdge[] } {
    const shapes = new Map<string, Shape<Place>>();
    const roots = byObjects(new Set([...this.#roots.values()].map((branch) => shapeOf(branch, shapes))));
    const left = new Set<Shape<Place>>();
    const visit = (shape: Shape<Place>): void => {
      if (left.has(shape)) return;
      byObjects(shape.edges.keys()).reverse().forEach(visit);
      left.add(shape);
    };
    roots.reverse().forEach(visit);
    const ids = new Map([...left].reverse().map((shape, id) => [shape, id]));
    const nodes = Array.from(ids, ([{ kind, place, objects, references, latencyCycles }, id]) => ({ id, kind, place, objects, references, latencyCycles }));
    const edges = Array.from(ids, ([shape, from]) => Array.from(shape.edges, ([to, counts]) => ({ from, to: ids.get(to) as number, ...counts })).sort((a, b) => a.to - b.to)).flat();
    return { nodes, edges };
  }
}

/** Paths have few steps: at most 67 calls deep. */
function shapeOf<Place>(branch: Branch<Place>, shapes: Map<string, Shape<Place>>): Shape<Place> {
  const next = Array.from(branch.next.values(), (own) => ({ branch: own, shape: shapeOf(own, shapes) }));
  const name = `${branch.key} ${next.map(({ shape }) => shape.number).sort((a, b) => a - b).join(' ')}`;
  let shape = shapes.get(name);
  if (shape === undefined) shapes.set(name, (shape = { kind: branch.kind, place: branch.place, number: shapes.size, edges: new Map(), ...nothing() }));
  addCounts(shape, branch);
  for (const { branch: own, shape: to } of next) {
    let edge = shape.edges.get(to);
    if (edge === undefined) shape.edges.set(to, (edge = nothing()));
    addCounts(edge, own);
  }
  return shape;
}

/** Of equal numbers the one that was made first. */
function byObjects<Place>(shapes: Iterable<Shape<Place>>): Shape<Place>[] {
  return [...shapes].sort((a, b) => b.objects - a.objects || a.number - b.number);
}

function nothing(): Counts {
  return { objects: 0, coreChanges: 0, references: 0, latencyCycles: 0 };
}

function addCounts(to: Counts, { objects, coreChanges, references, latencyCycles }: Counts): void {
  to.objects += objects;
  to.coreChanges += coreChanges;
  to.references += references;
  to.latencyCycles += latencyCycles;
}
