import { assertEquals } from "@std/assert";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";

Deno.test("a thread that starts no programs is handed nothing to start them with, as plain data", () => {
  const { environment, temporaryRoot, shell, own, reasons, marker } = structuredClone(
    NO_PROGRAM_ENVIRONMENT,
  );
  assertEquals([environment, temporaryRoot, shell, own, reasons, marker], [
    {},
    null,
    null,
    null,
    [],
    "",
  ]);
});
