// Stage: test. What a block of a report holds, as the page unpacks it.

import { gunzipSync } from 'node:zlib';

export function unpackBlock(page: string, id: string): string[] {
  const [, packed] = new RegExp(`id="${id}">([^<]*)<`).exec(page)!;
  return packed.split(' ').map((piece) => gunzipSync(Buffer.from(piece, 'base64')).toString());
}
