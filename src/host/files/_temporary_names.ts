/** The names of temporary files. */

/** Writers at work in one directory at once that leave nothing behind; more get random names. */
export const SLOTS = 8;

const ENDING = ".tmp";
/** `.toolgate-3.tmp` is a slot, `.toolgate-3-0.tmp` a further file of its holder's. */
const TEMPORARY = /^\.toolgate-[0-9a-f]+(?:-\d+)?\.tmp$/;

/** The file whose lock says that a slot is taken. */
export function slotName(slot: number | bigint): string {
  return `.toolgate-${slot.toString(16)}${ENDING}`;
}

/** What the names of a slot's further files begin with; a number and `.tmp` follow. */
export function memberPrefix(slot: string): string {
  return `${slot.slice(0, -ENDING.length)}-`;
}

/** A further file of a slot's holder. */
export function memberName(slot: string, number: number): string {
  return `${memberPrefix(slot)}${number}${ENDING}`;
}

/** Whether a name is one that only temporary files have. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}
