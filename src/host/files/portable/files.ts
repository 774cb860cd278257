/** The file handles over `Deno.*`: see `primitives.ts` beside it for what they can and cannot keep. */

import type { Durability } from "../../../core/files.ts";
import { createChanging } from "../change/changing.ts";
import type { FileBackend } from "../file_backend.ts";
import { createReading } from "../read/reading.ts";
import { createPortablePrimitives } from "./primitives.ts";

/** The files that the runtime gives. */
export function createPortableFiles(durability: Durability = "full"): FileBackend {
  const primitives = createPortablePrimitives(durability);
  return { ...createReading(primitives), ...createChanging(primitives) };
}
