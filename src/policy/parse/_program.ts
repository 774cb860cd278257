/** The section `programs`: what programs do with their arguments. */

import { RISKS } from "../../core/tool.ts";
import { type Policy, PROGRAM_PLACES, type ProgramRule } from "../model.ts";
import { converted, list, mapping, object, otherwise } from "../../config/collection.ts";
import { type Field, oneOf } from "../../config/field.ts";

const NAME = /^[A-Za-z0-9_.+-]+$/;
const OPTION = /^-(?:[A-Za-z0-9]|-?[A-Za-z0-9][A-Za-z0-9-]+)$/;

const operands = converted(
  list(
    oneOf([...PROGRAM_PLACES, ...PROGRAM_PLACES.map((place) => `${place}...` as const)]),
    { min: 1 },
  ),
  (places, place) =>
    places.filter((one) => one.endsWith("...")).length > 1
      ? place.report("holds ... twice; one place may stand for any number of operands")
      : places,
);

const programRule: Field<ProgramRule> = object({
  risk: otherwise(
    oneOf(RISKS),
    null,
    "the risk it counts as; of a program that Toolgate knows it can only be raised",
  ),
  operands: otherwise(
    operands,
    null,
    "what its operands are, in order (text, read, write, folder, into, host); one with ... for any number",
  ),
  options: otherwise(
    mapping(oneOf(PROGRAM_PLACES), {
      pattern: OPTION.source,
      wrong: (name) =>
        OPTION.test(name) ? null : "is no option; write it with its dashes, as -o or --output",
    }),
    {},
    "options with an argument, and what that is; run: a program or code that it runs",
  ),
});

/** `programs`. */
export const programs: Field<NonNullable<Policy["programs"]>> = mapping(programRule, {
  pattern: NAME.source,
  wrong: (name) => NAME.test(name) ? null : "is no name of a program; write it without its folder",
});
