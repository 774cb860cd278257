/** `policy schema`: the JSON Schema of the policy language, for editors. */

import { EXIT } from "../../core/errors.ts";
import { policyJsonSchema } from "../../policy/parse/json_schema.ts";
import { print } from "../stdio.ts";

/** `policy schema`: the JSON Schema of policies; gives the exit status. */
export function showSchema(): number {
  print(JSON.stringify(policyJsonSchema(), null, 2));
  return EXIT.success;
}
