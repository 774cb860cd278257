/** What builds carry, which what runs from source finds in its packages. */

import { type CarriedFiles, LIBRARIES } from "../../host/carried/carried_layout.ts";

/** All of it: the libraries, and the grammar of each language that code is analysed in. */
export async function carriedFiles(): Promise<CarriedFiles> {
  const { GRAMMARS } = await import("../../toolkit/code/languages/languages.ts");
  return new Map([...LIBRARIES, ...GRAMMARS]);
}

/** The same where Toolgate runs from source; null in a build, which has it with itself and looks at no table for it. */
export function filesFromSource(): Promise<CarriedFiles | null> {
  return Deno.build.standalone ? Promise.resolve(null) : carriedFiles();
}
