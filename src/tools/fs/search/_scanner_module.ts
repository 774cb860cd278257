/** The WebAssembly module of the scanner. Not written by hand: `scripts/assemble_scanner.ts` makes it of `scanner.wat`. */

/** In base64. */
const MODULE = [
  "AGFzbQEAAAABEQJgBn9/f39/fwF/YAJ/fwF/AhMBB3NjYW5uZXIGbWVtb3J5AgABAwMCAAEHEQIEZmluZAAABmhhc051",
  "bAABCskCAuQBAgR/BHsgASADayEGIAIgBGotAAD9DyEKIAIgA2ogBGotAAD9DyELIAIgBWotAAD9DyEMIAIgA2ogBWot",
  "AAD9DyENAkADQCAAIAZKDQEgACAEav0AAAAgC/1QIAr9IyAAIAVq/QAAACAN/VAgDP0j/U79ZCEHAkADQCAHRQ0BIAAg",
  "B2hqIgggBkoNA0EAIQkCQANAIAkgA0YEQCAIDwsgCCAJai0AACACIANqIAlqLQAAciACIAlqLQAARw0BIAlBAWohCQwA",
  "CwsgByAHQQFrcSEHDAALCyAAQRBqIQAMAAsLQX8LYQACQANAIABBMGogAUoNASAA/QAAACAA/QAAEP13IAD9AAAg/Xf9",
  "Y0UEQEEBDwsgAEEwaiEADAALCwJAA0AgAEEBaiABSg0BIAAtAABFBEBBAQ8LIABBAWohAAwACwtBAAs=",
].join("");

/** Imports `scanner.memory`; exports `find` and `hasNul`: see `Instance` in `scanner.ts`. */
export const SCANNER_MODULE = new WebAssembly.Module(Uint8Array.fromBase64(MODULE));
