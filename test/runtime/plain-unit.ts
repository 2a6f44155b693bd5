// Stage: test. The tables of a unit that the recorder looks at, as bytes. What it must refuse can be written too.

export interface UnitDescription {
  readonly slots?: readonly { kind: number; base?: number; delta?: number }[];
  readonly records: readonly { words: number; firstSlot?: number; slots?: number; tag?: number; stamped?: boolean }[];
  /** `paths` 0: a filler, `back` entries behind the region's own. */
  readonly regions: readonly { paths: number; firstNode?: number; nodes?: number; back?: number; loop?: boolean }[];
  readonly nodes: readonly {
    firstRecord?: number;
    records?: number;
    firstWord?: number;
    firstEdge?: number;
    edges?: number;
    ends?: boolean;
  }[];
  readonly edges?: readonly { node: number; before: number }[];
}

const HEADER_BYTES = 136;
const SIZES = { slots: 52, records: 32, regions: 32, nodes: 24, edges: 8 };
const HEADER_AT = { slots: 56, records: 64, regions: 72, nodes: 80, edges: 88 };
export const REGION_BYTES = SIZES.regions;

const bytesOf: { [table in keyof typeof SIZES]: (entry: any, at: Buffer) => void } = {
  slots({ kind, base = 0, delta = 0 }, at) {
    at.writeUInt32LE(8, 0);
    at.writeUInt16LE(1, 34);
    at[36] = kind;
    at.writeUInt32LE(base, 40);
    at.writeInt32LE(delta, 44);
  },
  records({ words, firstSlot = 0, slots = 0, tag = 1, stamped = false }, at) {
    at[0] = tag;
    at[1] = stamped ? 4 : 0;
    at.writeUInt16LE(slots, 2);
    at.writeUInt32LE(words, 4);
    at.writeUInt32LE(firstSlot, 16);
  },
  regions({ paths, firstNode = 0, nodes = paths ? 1 : 0, back = 0, loop = false }, at) {
    [paths, firstNode, nodes, back, loop ? 1 : 0].forEach((value, i) => at.writeUInt32LE(value, 4 * i));
  },
  nodes({ firstRecord = 0, records = 0, firstWord = 0, firstEdge = 0, edges = 0, ends = false }, at) {
    [firstRecord, records, firstWord, firstEdge, edges, ends ? 1 : 0].forEach((value, i) =>
      at.writeUInt32LE(value, 4 * i),
    );
  },
  edges({ node, before }, at) {
    at.writeUInt32LE(node, 0);
    at.writeUInt32LE(before, 4);
  },
};

/** The unit, and where in it its regions begin. */
export function buildUnit(unit: UnitDescription): { bytes: Buffer; regionsAt: number } {
  const tables: Buffer[] = [Buffer.alloc(HEADER_BYTES)];
  const [header] = tables;
  let end = HEADER_BYTES;
  for (const table of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    const entries = unit[table] ?? [];
    const bytes = Buffer.alloc(SIZES[table] * entries.length);
    entries.forEach((entry, i) => bytesOf[table](entry, bytes.subarray(SIZES[table] * i)));
    header.writeUInt32LE(end, HEADER_AT[table]);
    header.writeUInt32LE(entries.length, HEADER_AT[table] + 4);
    tables.push(bytes);
    end += bytes.length;
  }
  tables.push(Buffer.alloc(-end & 15));
  end += -end & 15;
  header.write('DPU1', 'latin1');
  header.writeUInt32LE(4, 4);
  header.writeUInt32LE(end, 8);
  return { bytes: Buffer.concat(tables), regionsAt: header.readUInt32LE(HEADER_AT.regions) };
}
