/** `@std/toml` with types; an edit of the import map alone replaces it by the original. */

// @ts-types="./toml.d.ts"
export * from "npm:deno-std@1.4.0/toml/mod.js";
