// Stage: test. The paths of regions, worked out from unit_format.h alone: slow, plain, and sharing no code with
// src/trace.

export interface PlainPath {
  readonly codedWords: number;
  readonly stamped: boolean;
  readonly segments: number;
}

const REGION_BYTES = 32;
const enum At {
  slots = 56,
  records = 64,
  regions = 72,
  nodes = 80,
  edges = 88,
}

class PlainUnit {
  constructor(
    private readonly bytes: Buffer,
    readonly firstRegion: number,
  ) {}

  count(table: At): number {
    return this.bytes.readUInt32LE(table + 4);
  }
  private entry(table: At, size: number, index: number): Buffer {
    if (index >= this.count(table)) throw new Error(`entry ${index} of ${this.count(table)} in the table at ${table}`);
    return this.bytes.subarray(this.bytes.readUInt32LE(table) + size * index);
  }

  path(entry: number, number: number): PlainPath {
    const region = this.entry(At.regions, REGION_BYTES, entry);
    if (number >= region.readUInt32LE(0)) throw new Error(`region ${entry} has no path ${number}`);
    if (region.readUInt32LE(16) & 1) return this.loop(this.entry(At.nodes, 24, region.readUInt32LE(4)));
    let codedWords = 0;
    let segments = 0;
    let stamped = false;
    for (let at = 0, rest = number; ; ) {
      const node = this.entry(At.nodes, 24, region.readUInt32LE(4) + at);
      for (let i = 0; i < node.readUInt32LE(4); i++) {
        const record = this.entry(At.records, 32, node.readUInt32LE(0) + i);
        codedWords += record.readUInt32LE(4);
        for (let slot = 0; slot < record.readUInt16LE(2); slot++)
          if (this.entry(At.slots, 52, record.readUInt32LE(16) + slot).readUInt32LE(40)) codedWords--;
        if (record[0] === 1) segments++;
        if (record[1] & 4) stamped = true;
      }
      if (node.readUInt32LE(20) & 1 && rest === 0)
        return { codedWords: codedWords - (stamped ? 1 : 0), stamped, segments };
      const edges = Array.from({ length: node.readUInt32LE(16) }, (_, i) =>
        this.entry(At.edges, 8, node.readUInt32LE(12) + i),
      );
      const edge = edges.filter((candidate) => candidate.readUInt32LE(4) <= rest).at(-1)!;
      at = edge.readUInt32LE(0);
      rest -= edge.readUInt32LE(4);
    }
  }

  private loop(node: Buffer): PlainPath {
    let codedWords = 1;
    for (let i = 0; i < node.readUInt32LE(4); i++) {
      const record = this.entry(At.records, 32, node.readUInt32LE(0) + i);
      for (let s = 0; s < record.readUInt16LE(2); s++) {
        const slot = this.entry(At.slots, 52, record.readUInt32LE(16) + s);
        if (slot.readUInt32LE(40) === 0) codedWords += slot.readInt32LE(44) === -(2 ** 31) ? 2 : 1;
      }
    }
    return { codedWords, stamped: false, segments: node.readUInt32LE(4) };
  }

  /** The region that an entry belongs to: its own, or the one that it is a filler of. */
  ownEntry(entry: number): number {
    const region = this.entry(At.regions, REGION_BYTES, entry);
    return region.readUInt32LE(0) === 0 ? entry - region.readUInt32LE(12) : entry;
  }
}

/** Paths by their number over the whole trace. */
export class PlainPaths {
  private readonly units: PlainUnit[] = [];
  private regions = 0;
  private readonly seen = new Map<number, PlainPath>();

  /** The units of one module, one after the other. */
  addUnits(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 8) || 16) {
      if (bytes.readUInt32LE(at) === 0) continue; // the linker's padding
      const unit = new PlainUnit(bytes.subarray(at, at + bytes.readUInt32LE(at + 8)), this.regions);
      this.units.push(unit);
      this.regions += unit.count(At.regions);
    }
  }

  private find(number: number): { unit: PlainUnit; entry: number } {
    const entry = Math.floor(number / REGION_BYTES);
    const unit = this.units.findLast((candidate) => candidate.firstRegion <= entry);
    if (!unit || entry >= this.regions) throw new Error(`no region ${entry}`);
    return { unit, entry: unit.ownEntry(entry - unit.firstRegion) };
  }
  at(number: number): PlainPath {
    let path = this.seen.get(number);
    if (!path) {
      const { unit, entry } = this.find(number);
      this.seen.set(number, (path = unit.path(entry, number - REGION_BYTES * (unit.firstRegion + entry))));
    }
    return path;
  }
  place(number: number): { region: number; path: number } {
    const { unit, entry } = this.find(number);
    const region = unit.firstRegion + entry;
    return { region, path: number - REGION_BYTES * region };
  }
}
