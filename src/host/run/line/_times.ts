/** What `time` says (bash(1), TIMEFORMAT; `-p`: POSIX, time). */

/** Names with ms, in the order in which they are told. */
export function timesText(times: readonly (readonly [string, number])[], posix: boolean): string {
  const lines = times.map(([name, ms]) => {
    const whole = Math.max(0, Math.floor(ms));
    if (posix) {
      return `${name} ${Math.floor(whole / 1000)}.${pad(Math.floor(whole / 10) % 100, 2)}\n`;
    }
    const seconds = Math.floor(whole / 1000);
    return `${name}\t${Math.floor(seconds / 60)}m${seconds % 60}.${pad(whole % 1000, 3)}s\n`;
  });
  return (posix ? "" : "\n") + lines.join("");
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
