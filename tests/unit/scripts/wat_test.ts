import { assertEquals, assertThrows } from "@std/assert";
import { scannerModule, SOURCE, TARGET } from "../../../scripts/assemble_scanner.ts";
import { assemble } from "../../../scripts/_wat.ts";

Deno.test("the scanner's module is what its text comes to", async () => {
  const made = scannerModule(await Deno.readTextFile(SOURCE));
  assertEquals(await Deno.readTextFile(TARGET), made, "run scripts/assemble_scanner.ts");
});

/** The exported function `f` of a module with one page of memory. */
function compiled(code: string): (...values: number[]) => number {
  const text = `(module (import "m" "memory" (memory 1)) (func (export "f") ${code}\n))`;
  const module = new WebAssembly.Module(assemble(text));
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Uint8Array(memory.buffer).set([7, 0, 9, 255]);
  const { exports } = new WebAssembly.Instance(module, { m: { memory } });
  return exports["f"] as (...values: number[]) => number;
}

Deno.test("what is assembled computes what the text says", () => {
  const two = "(param $a i32) (param $b i32) (result i32)";
  const cases: readonly (readonly [code: string, given: readonly number[], result: number])[] = [
    [`${two} (i32.sub (local.get $a) (local.get $b))`, [5, 7], -2],
    [`${two} (i32.gt_s (local.get $a) (local.get $b))`, [-1, 1], 0],
    [`${two} (i32.ctz (i32.or (local.get $a) (local.get $b)))`, [8, 64], 3],
    [`${two} (i32.add (i32.const -64) (i32.const 1000000))`, [0, 0], 999_936],
    [`${two} (i32.add (i32.const 63) (i32.const 64))`, [0, 0], 127],
    [`${two} (i32.add (i32.const -65) (i32.const -200))`, [0, 0], -265],
    [`${two} (i32.load8_u offset=1 (i32.add (local.get $a) (i32.const 1)))`, [1, 0], 255],
    [
      `${two} (i8x16.bitmask (i8x16.eq (v128.load align=1 (i32.const 0))
       (i8x16.splat (local.get $b)))) ;; where it stands`,
      [0, 9],
      4,
    ],
    // Twice as much, until it is more than the other.
    [
      `${two} (local $x v128) (local $n i32) (local $m i32) (local.set $n (local.get $a))
       (block $done (loop $more
         (if (i32.gt_s (local.tee $n (i32.add (local.get $n) (local.get $n))) (local.get $b))
           (then (br $done)))
         (br_if $more (i32.eqz (i32.const 0)))))
       (local.get $n)`,
      [3, 20],
      24,
    ],
  ];
  for (const [code, given, result] of cases) {
    assertEquals(compiled(code)(...given), result, code);
  }
});

Deno.test("what is not understood is refused by name", () => {
  const inside = (code: string) => `(module (func (export "f") (param $a i32) ${code}))`;
  const cases: readonly (readonly [text: string, message: string])[] = [
    ["", "one module"],
    ["(module) (module)", "one module"],
    ["(module", "( is not closed"],
    ["(module))", ") closes nothing"],
    ["(module (table 1 funcref))", "table"],
    ['(module (import "a" "b" (func)))', "func"],
    ["(module (func))", "exported"],
    ['(module (func (export "f") (param i32)))', "a variable"],
    ['(module (func (export "f") (param $a f64)))', "f64"],
    [inside("(i32.mul (local.get $a) (local.get $a))"), "i32.mul"],
    [inside("(toString)"), "toString"],
    [inside("(local.get $b)"), "$b"],
    [inside("(i32.add (local.get $a))"), "i32.add"],
    [inside("(i32.const 0x10)"), "0x10"],
    [inside("(i32.load8_u align=3 (local.get $a))"), "align=3"],
    [inside("(i32.load8_u more=1 (local.get $a))"), "more=1"],
    [inside("(br $out)"), "$out"],
    [inside("(block (br 0))"), "block"],
    [inside("(if (local.get $a) (then) (else))"), "else"],
    [inside("local.get 0"), "local.get"],
  ];
  for (const [text, message] of cases) {
    const error = assertThrows(() => assemble(text), SyntaxError, message, text);
    assertEquals(error.message.length < 300, true);
  }
});
