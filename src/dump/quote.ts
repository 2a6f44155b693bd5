// Stage: samples -> text. A recorded program may choose any names. Characters that are invisible or would separate
// words are written as in JSON.

export function quote(name: string): string {
  return /[\p{C}\p{Z}"\\]|^$/u.test(name) ? quoteAlways(name) : name;
}

export function quoteAlways(name: string): string {
  return JSON.stringify(name).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
