/** Where no policy wants a log: nothing is loaded that would keep one. */

import type { CallRecord, Recorder } from "./recorder.ts";

/** Records nothing. */
export const NO_RECORDER: Recorder = {
  begin: () => NO_RECORD,
};

const NO_RECORD: CallRecord = {
  decided: () => {},
  approval: () => {},
  ended: (result) => result,
};
