// Stage: blocks. BHive's files -> blocks: a line is `hex,value`, without a heading. The value may be missing.

export interface ListedBlock {
  readonly hex: string;
  readonly value?: number;
}

export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface BlockList {
  readonly blocks: readonly ListedBlock[];
  /** The first few. */
  readonly bad: readonly BadLine[];
  readonly badCount: number;
}

const SHOWN_BAD = 3;
const LONGEST_SHOWN = 40;

export function readBlockList(text: string): BlockList {
  const blocks: ListedBlock[] = [];
  const bad: BadLine[] = [];
  let badCount = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const plain = line.trim();
    if (plain === '') continue;
    const block = parseLine(plain);
    if (block !== undefined) {
      blocks.push(block);
      continue;
    }
    badCount++;
    if (bad.length < SHOWN_BAD) bad.push({ line: index + 1, text: plain.slice(0, LONGEST_SHOWN) });
  }
  return { blocks, bad, badCount };
}

function parseLine(line: string): ListedBlock | undefined {
  const [hex, value, ...more] = line.split(',').map((cell) => cell.trim());
  if (!isHex(hex) || more.length > 0) return undefined;
  if (value === undefined || value === '') return { hex: hex.toLowerCase() };
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? { hex: hex.toLowerCase(), value: number } : undefined;
}

export function isHex(text: string): boolean {
  return /^(?:[0-9a-f]{2})+$/i.test(text);
}
