// Stage: bench. The assembly of a block -> its category, by simple rules on AT&T's syntax.

export const CATEGORIES = ['scalar integer', 'load', 'store', 'load and store', 'vector or floating point'] as const;
export type BlockCategory = (typeof CATEGORIES)[number];

/** They name memory and do not touch it. */
const NO_ACCESS = /^(lea|nop|prefetch)/;
/** They read their last operand and do not write it. */
const ONLY_READS =
  /^(v?u?comis|cmp(?!xchg)|test|bt[bwlq]?$|push|mul|imul|div|idiv|v?ptest|fld|fild|fadd|fmul|fsub|fdiv)/;
/** They write their last operand and do not read it. */
const ONLY_WRITES = /^(v?mov|set|fst|fist|v?pextr|v?extract|pop)/;

export function categoryOf(assembly: readonly string[]): BlockCategory {
  if (assembly.some((line) => /%([xyz]mm|mm\d|st\b|k[0-7])/.test(line) || /^\s*f[a-z]/.test(line)))
    return 'vector or floating point';
  let [loads, stores] = [false, false];
  for (const line of assembly) {
    const [, name, operands] = /^\s*(?:(?:lock|rep\w*)\s+)?(\w+)\s*(.*)$/.exec(line) ?? ['', '', ''];
    if (name.startsWith('push')) stores = true;
    if (name.startsWith('pop')) loads = true;
    const writesLast = !ONLY_READS.test(name) && isMemory(lastOf(operands));
    if (NO_ACCESS.test(name)) continue;
    if (writesLast) stores = true;
    if (isMemory(operands) && !(writesLast && ONLY_WRITES.test(name) && isMemoryOnlyLast(operands))) loads = true;
  }
  if (loads && stores) return 'load and store';
  return loads ? 'load' : stores ? 'store' : 'scalar integer';
}

function isMemory(operands: string): boolean {
  return operands.includes('(') || operands.includes('%fs:') || operands.includes('%gs:');
}

/** Commas within parentheses part no operands. */
function operandsOf(operands: string): string[] {
  return operands.split(/,\s*(?![^(]*\))/);
}

function lastOf(operands: string): string {
  return operandsOf(operands).at(-1) ?? '';
}

function isMemoryOnlyLast(operands: string): boolean {
  return !operandsOf(operands).slice(0, -1).some(isMemory);
}
