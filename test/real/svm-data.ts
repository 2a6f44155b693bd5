// Stage: test. Rows and features -> training data as svm-train reads it: two classes that differ a little in each
// feature; the same every time.

export function svmData(rows: number, features: number): string {
  let state = 12345;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const label = draw() < 0.5 ? -1 : 1;
    const values = Array.from(
      { length: features },
      (_, feature) => `${feature + 1}:${(draw() + label * 0.05).toFixed(4)}`,
    );
    lines.push(`${label} ${values.join(' ')}`);
  }
  return `${lines.join('\n')}\n`;
}
