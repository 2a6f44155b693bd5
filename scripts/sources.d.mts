export function nativeSources(): string[];
export function typescriptSources(): string[];
