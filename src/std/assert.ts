/** `@std/assert` with types; an edit of the import map alone replaces it by the original. */

// @ts-types="./assert.d.ts"
export * from "npm:deno-std@1.4.0/assert/mod.js";
