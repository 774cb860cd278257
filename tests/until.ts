/** Waiting for what another process or thread does in a time of its own. */

/** Milliseconds in which whatever comes to be at all has come to be, on any machine: so that a test that fails ends, too. */
const AT_MOST = 300_000;

/** Waits until it is so, however busy the machine; whether it came to be so. */
export async function comesToBe(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const last = performance.now() + AT_MOST;
  while (!await isSo()) {
    if (performance.now() > last) return await isSo();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
