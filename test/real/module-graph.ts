// Stage: test. A number of modules -> a graph for dot: each depends on one or two earlier ones, near ones more often;
// the same every time.

export function moduleGraph(modules: number): string {
  let state = 12345;
  const draw = (below: number): number => {
    state = Number((BigInt(state) * 1103515245n + 12345n) % 2147483648n);
    return Math.floor((Math.floor(state / 65536) * below) / 32768);
  };
  const lines = ['digraph modules {'];
  for (let module = 1; module < modules; module++)
    for (let count = draw(3) === 0 ? 2 : 1; count > 0; count--) {
      const span = Math.min(module, draw(4) > 0 ? 40 : module);
      lines.push(`  m${module} -> m${module - 1 - draw(span)};`);
    }
  return [...lines, '}', ''].join('\n');
}
