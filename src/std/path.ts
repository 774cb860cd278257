/** `@std/path` with types; an edit of the import map alone replaces it by the original. */

// @ts-types="./path.d.ts"
export * from "npm:deno-std@1.4.0/path/mod.js";
