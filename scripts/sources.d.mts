export function nativeSources(): string[];
export function otherSources(): string[];
export function typescriptSources(): string[];
