// Stage: samples -> text. Names are whatever the recorded program liked. What is not seen, or parts words, is written
// as JSON would.

export function quote(name: string): string {
  return /[\p{C}\p{Z}"\\]|^$/u.test(name) ? quoteAlways(name) : name;
}

export function quoteAlways(name: string): string {
  return JSON.stringify(name).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
