/** Numbers with a point as printf(3) writes a `long double`: rounded to its bits first, then to digits, halves to even. */

/** Bits of the significand (x86: 64; aarch64: 113). */
const BITS = Deno.build.arch === "aarch64" ? 113 : 64;
/** Larger exponents are nothing that lines calculate with. */
const LARGEST = 300;

/** With `digits` behind the point; null for what is no plain decimal number. */
export function fixed(text: string, digits: number): string | null {
  const found = /^\s*([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,3}))?$/.exec(text);
  const [, sign = "", whole = "", part = "", power = "0"] = found ?? [];
  const exponent = Number(power) - part.length;
  if (found === null || whole + part === "" || Math.abs(exponent) > LARGEST) return null;
  const number = BigInt(whole + part);
  const numerator = exponent > 0 ? number * 10n ** BigInt(exponent) : number;
  const denominator = exponent < 0 ? 10n ** BigInt(-exponent) : 1n;
  const [top, bottom] = rounded(numerator, denominator);
  const scaled = divided(top * 10n ** BigInt(digits), bottom);
  const shown = scaled.toString().padStart(digits + 1, "0");
  const point = shown.length - digits;
  return (sign === "-" ? "-" : "") + shown.slice(0, point) +
    (digits === 0 ? "" : `.${shown.slice(point)}`);
}

/** The nearest fraction with that many bits. */
function rounded(top: bigint, bottom: bigint): readonly [bigint, bigint] {
  if (top === 0n) return [0n, 1n];
  let shift = BITS - (top.toString(2).length - bottom.toString(2).length);
  for (;; shift--) {
    const up = shift > 0 ? top << BigInt(shift) : top;
    const down = shift < 0 ? bottom << BigInt(-shift) : bottom;
    const bits = divided(up, down);
    if (bits.toString(2).length > BITS && bits !== 1n << BigInt(BITS)) continue;
    return shift > 0 ? [bits, 1n << BigInt(shift)] : [bits << BigInt(-shift), 1n];
  }
}

/** To the nearest whole number, halves to even. */
function divided(top: bigint, bottom: bigint): bigint {
  const [quotient, rest] = [top / bottom, top % bottom];
  const twice = rest * 2n;
  const up = twice > bottom || (twice === bottom && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}
