/** Every language that code is analysed in, one a line. All else that names them is made from this. */

export { C } from "./c.ts";
export { CPP, HEADER } from "./cpp.ts";
export { GO } from "./go.ts";
export { JAVA } from "./java.ts";
export { JAVASCRIPT } from "./javascript.ts";
export { PYTHON } from "./python.ts";
export { RUST } from "./rust.ts";
export { SHELL } from "./shell.ts";
export { TSX, TYPESCRIPT } from "./typescript.ts";
