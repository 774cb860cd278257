/** A process that starts a guardian and two programs, tells their numbers, and waits to be killed. */

import { startGuardian, tellingOf } from "../../../../src/engine/programs/_guardian.ts";
import { MARKER } from "../../../../src/engine/programs/job_programs.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { MARK, startScript, table } from "./_runs.ts";

const [way] = Deno.args;
const word = Deno.env.get("WORD") ?? "";
const { marker, token } = MARK;
const folder = Deno.env.get("FOLDER") ?? null;
const guardian = startGuardian(LIBC, SPAWNER, { marker: `${MARKER}=${marker}.`, token, folder });
const marked = startScript(`exec sleep ${word}`, 1);
const unmarked = startScript(`exec sleep ${word}`, 1, "nothing");
const bystander = startScript(`exec sleep ${word}1`, 1, "nothing");
const factsOf = (id: number) => table.facts(id) ?? { id, began: -1 };
const reused = { id: bystander, began: factsOf(bystander).began - 1 };
guardian?.tell("999999999.1");
guardian?.tell(tellingOf([factsOf(unmarked), reused]));
console.log(JSON.stringify({ guardian: guardian?.id, marked, unmarked, bystander }));
if (way === "close") guardian?.close();
await Deno.stdin.read(new Uint8Array(1));
