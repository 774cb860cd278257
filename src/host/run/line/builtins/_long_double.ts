/** Numbers with a point as printf(3) writes a `long double`: rounded to its bits first, then to digits, halves to even. */

/** Bits of the significand (x86: 64; aarch64: 113). */
const BITS = Deno.build.arch === "aarch64" ? 113 : 64;
/** Larger exponents are nothing that lines calculate with. */
const LARGEST = 300;

/** A number as a fraction, without its sign. */
interface Magnitude {
  readonly sign: "-" | "";
  readonly top: bigint;
  readonly bottom: bigint;
}

/** `%f`: with `digits` behind the point; null for what is no plain decimal number. */
export function fixed(text: string, digits: number): string | null {
  const number = magnitudeOf(text);
  return number === null ? null : number.sign + withPoint(number, digits);
}

/** `%e`: one digit before the point, `digits` behind it; null as {@linkcode fixed}. */
export function scientific(text: string, digits: number): string | null {
  const number = magnitudeOf(text);
  if (number === null) return null;
  const { shown, power } = leading(number, digits);
  return number.sign + withPower(shown, power);
}

/** `%g`: as short as `digits` in all allow, the one way or the other; null as {@linkcode fixed}. */
export function general(text: string, digits: number): string | null {
  const number = magnitudeOf(text);
  if (number === null) return null;
  const all = Math.max(digits, 1);
  const { shown, power } = leading(number, all - 1);
  // C17, 7.21.6.1.
  const plain = power >= -4 && power < all;
  const cut = (digits: string) => digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return number.sign +
    (plain ? cut(withPoint(number, all - 1 - power)) : withPower(shown, power, cut));
}

function withPoint({ top, bottom }: Magnitude, digits: number): string {
  const scaled = divided(top * 10n ** BigInt(digits), bottom);
  const shown = scaled.toString().padStart(digits + 1, "0");
  const point = shown.length - digits;
  return shown.slice(0, point) + (digits === 0 ? "" : `.${shown.slice(point)}`);
}

/** Its first digits, rounded, so many and one, and the power of ten of the first of them. */
function leading(
  { top, bottom }: Magnitude,
  digits: number,
): { readonly shown: string; readonly power: number } {
  if (top === 0n) return { shown: "0".repeat(digits + 1), power: 0 };
  // Right, or one too large.
  let power = top.toString().length - bottom.toString().length;
  for (;; power--) {
    const scale = digits - power;
    const scaled = scale >= 0
      ? divided(top * 10n ** BigInt(scale), bottom)
      : divided(top, bottom * 10n ** BigInt(-scale));
    const shown = scaled.toString();
    if (shown.length === digits + 1 && reaches({ top, bottom }, power)) return { shown, power };
    // Rounded up to the next power of ten.
    if (shown.length > digits + 1) return { shown: shown.slice(0, -1), power: power + 1 };
  }
}

/** Whether it is at least that power of ten. */
function reaches({ top, bottom }: Pick<Magnitude, "top" | "bottom">, power: number): boolean {
  return power >= 0 ? top >= bottom * 10n ** BigInt(power) : top * 10n ** BigInt(-power) >= bottom;
}

function withPower(
  shown: string,
  power: number,
  cut: (digits: string) => string = (digits) => digits,
): string {
  const digits = shown.length === 1 ? shown : cut(`${shown[0]}.${shown.slice(1)}`);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function magnitudeOf(text: string): Magnitude | null {
  const found = /^\s*([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,3}))?$/.exec(text);
  const [, sign = "", whole = "", part = "", power = "0"] = found ?? [];
  const exponent = Number(power) - part.length;
  if (found === null || whole + part === "" || Math.abs(exponent) > LARGEST) return null;
  const number = BigInt(whole + part);
  const numerator = exponent > 0 ? number * 10n ** BigInt(exponent) : number;
  const denominator = exponent < 0 ? 10n ** BigInt(-exponent) : 1n;
  const [top, bottom] = rounded(numerator, denominator);
  return { sign: sign === "-" ? "-" : "", top, bottom };
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
