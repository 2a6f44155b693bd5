// Stage: profile -> views. The paths of one type to one graph: first the tree of their common beginnings, then nodes of
// one place with the same continuations as one. docs/data-flow.md, "The graph".

export type NodeKind = 'allocation' | 'step' | 'free' | 'end';

/** The place that a node stands for. Spots with equal keys are one place. */
export interface Spot<Place> {
  readonly kind: NodeKind;
  readonly key: string;
  readonly place: Place;
}

export interface Stop<Place> {
  readonly spot: Spot<Place>;
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

/** A way that is still open: what begins like the last path may go on from here. */
interface Branch<Place> extends Counts {
  readonly spot: Spot<Place>;
  /** The ways on from it that are closed, each with the counts that came along it. */
  readonly closed: [Shape<Place>, Counts][];
}

/** A branch of the tree, or several that are alike. */
interface Shape<Place> extends Counts {
  readonly kind: NodeKind;
  readonly place: Place;
  readonly number: number;
  /** By number: what has this shape goes on to the same ones. */
  readonly edges: Edge<Place>[];
}

interface Edge<Place> extends Counts {
  readonly to: Shape<Place>;
}

/** Keeps the last path open and all that is closed folded: memory follows the graph, not the paths. */
export class PathGraph<Place> {
  readonly #open: Branch<Place>[] = [];
  readonly #shapes = new Map<string, Shape<Place>>();
  readonly #roots = new Set<Shape<Place>>();

  /**
   * Adds a path from its allocation to its end, with the number of its objects. Paths that begin alike must come one
   * after the other.
   */
  add(stops: readonly Stop<Place>[], objects: number): void {
    let common = 0;
    while (
      common < stops.length &&
      common < this.#open.length &&
      stops[common].spot.key === this.#open[common].spot.key
    )
      common++;
    this.#closeTo(common);
    for (let at = common; at < stops.length; at++)
      this.#open.push({
        spot: stops[at].spot,
        closed: [],
        objects: 0,
        coreChanges: 0,
        references: 0,
        latencyCycles: 0,
      });
    stops.forEach(({ changesCore, references, latencyCycles }, at) => {
      const branch = this.#open[at];
      branch.objects += objects;
      if (changesCore) branch.coreChanges += objects;
      branch.references += references;
      branch.latencyCycles += latencyCycles;
    });
  }

  /**
   * Each node comes behind all nodes that lead to it; most objects first. Only the results of the spell functions are
   * kept, since there may be hundreds of thousands of nodes.
   */
  freeze<Node, Edge>(
    spellNode: (node: GraphNode<Place>) => Node,
    spellEdge: (edge: GraphEdge) => Edge,
  ): { nodes: Node[]; edges: Edge[] } {
    this.#closeTo(0);
    this.#shapes.clear(); // by name nothing is looked for any more
    const left = new Set<Shape<Place>>();
    const visit = (shape: Shape<Place>): void => {
      if (left.has(shape)) return;
      byObjects(shape.edges.map(({ to }) => to))
        .reverse()
        .forEach(visit);
      left.add(shape);
    };
    byObjects(this.#roots).reverse().forEach(visit);
    const ids = new Map([...left].reverse().map((shape, id) => [shape, id]));
    const nodes = Array.from(ids, ([{ kind, place, objects, references, latencyCycles }, id]) =>
      spellNode({ id, kind, place, objects, references, latencyCycles }),
    );
    const edges = Array.from(ids, ([shape, from]) =>
      shape.edges
        .map(({ to, ...counts }) => ({ from, to: ids.get(to) as number, ...counts }))
        .sort((a, b) => a.to - b.to)
        .map(spellEdge),
    ).flat();
    return { nodes, edges };
  }

  /** Closes the branches of this depth and deeper ones: no more paths go on from them. */
  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const branch = this.#open.pop() as Branch<Place>;
      const shape = this.#fold(branch);
      const before = this.#open.at(-1);
      if (before === undefined) this.#roots.add(shape);
      else before.closed.push([shape, branch]);
    }
  }

  #fold(branch: Branch<Place>): Shape<Place> {
    const { kind, key, place } = branch.spot;
    const closed = branch.closed.sort(([a], [b]) => a.number - b.number);
    const name = `${key} ${closed.map(([{ number }]) => number).join(' ')}`;
    let shape = this.#shapes.get(name);
    if (shape === undefined)
      this.#shapes.set(
        name,
        (shape = {
          kind,
          place,
          number: this.#shapes.size,
          edges: closed.map(([to]) => ({ to, ...nothing() })),
          ...nothing(),
        }),
      );
    addCounts(shape, branch);
    for (const [at, [, counts]] of closed.entries()) addCounts(shape.edges[at], counts);
    return shape;
  }
}

/** Most objects first; of equal ones, the one that was made first. */
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
