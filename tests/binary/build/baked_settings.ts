/** What `deno compile` wrote of a binary's settings: one JSON object near its end. */

export interface BakedSettings {
  readonly permissions: Readonly<Record<string, readonly string[] | boolean | null>>;
  readonly code_cache_key: unknown;
  readonly v8_flags: readonly string[];
  readonly unstable_config: { readonly features: readonly string[] };
}

/** Throws where there are none. */
export function bakedSettings(path: string): BakedSettings {
  const text = new TextDecoder("latin1").decode(Deno.readFileSync(path));
  const start = text.lastIndexOf('{"argv":');
  for (let end = text.indexOf("}", start); end > 0; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1));
    } catch {
      // Not its own brace yet.
    }
  }
  throw new Error("no settings in the binary");
}
