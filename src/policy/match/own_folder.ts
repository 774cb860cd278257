/** What patterns call the folder that a run has to itself: what lies in it goes by `$TMPDIR/NAME` too. */
export const OWN_FOLDER = "$TMPDIR";
