/** A text in each language that has many of its constructs. */

const TYPESCRIPT = `#!/usr/bin/env -S deno run
/** Says much. */
import a, { b as c, type D } from "./x.ts";
import q = require("q");
export { y as z } from "./y";
const lazy = await import("./lazy.ts");
/** Adds. */
export function add(x: number, y = 2, ...rest: string[]): number { return x > 1 ? x : y; }
export default class Foo<T> extends Bar implements Baz {
  static #p = 1;
  constructor(private x: number) { super(); }
  @dec() async *m?(a: string): Promise<void> { for await (const z of a) {} }
  get v() { return 1; }
  arrow = (x) => x && y || z;
}
interface I { a: string; m(): void; new (x: string): I; [k: string]: unknown }
type U = string | { a: 1 }; // größe 😀
enum E { A, B = 2 }
const { d1, d2: e2, ...others } = obj, [f1] = list;
let fn = async function named() { switch (a) { case 1: break; default: } };
label: for (;;) { try { continue label; } catch (e) { x ??= \`\${y} text\`; } }
`;

/** By grammar. */
export const SOURCES: Readonly<Record<string, string>> = {
  typescript: TYPESCRIPT,
  tsx: `${TYPESCRIPT}const el = <div a={1} {...b}>{x} text<Y/></div>;\n`,
  javascript: TYPESCRIPT.replaceAll(/: \w+(\[\])?|private |implements Baz|<T>/g, ""),
  python: `"""Says much."""
from ..pkg.mod import (a, b as c)
import os.path, sys as s
@decorator
class Foo(Base, metaclass=M):
    """Doc of Foo."""
    attr: int = 1
    async def m(self, a, *args, b=1, **kw) -> int:
        if a and b or not c: pass
        elif x: return [i for i in z if i]
        else:
            try: yield f"{a!r:>{w}} größe"
            except* (E, F) as e: pass
            finally: del x
        match x:
            case 1 | 2 if y: pass
            case _: pass
A, B = lambda q: q, (1 if x else 2)
`,
  go: `// Package p does.
package p
import ( x "a/b"; _ "c" )
const ( C = iota
 D )
type S[T any] struct { F int \`json:"f"\`; Embedded }
type I interface { M(x int) error }
func (s *S) Foo(a, b int, c ...string) (int, error) {
	if a := 1; a > 1 && b < 2 { } else if x { } else { }
	for i := range x { go func() { defer f() }() }
	switch t := x.(type) { case int: default: }
	select { case v := <-c: default: }
	return 1, nil
}
`,
  rust: `//! Says much.
use std::{collections::HashMap, io::{self, Read as R}};
/// Doc.
#[derive(Debug)]
pub struct P<'a, T: X> { pub x: &'a T, y: i32 }
pub enum E { A, B(i32), C { x: i32 } }
impl<T> Tr for P<'_, T> where T: X {
    fn m(&self, a: i32) -> i32 {
        if a > 1 && b { 1 } else if let Some(x) = y { 2 } else { 'a: loop { break 'a 3 } }
    }
}
macro_rules! mac { ($x:expr) => { println!("{}", $x) } }
fn main() { let c = |x: i32| x?; match z { 1 | 2 if q => {}, _ => unsafe { mac!(a && b) } } }
`,
  java: `package a.b;
import static x.Y.*;
/** Doc. */
@Ann(v = 1) public class A<T> extends B implements C {
  private static final int K = 1, L = 2;
  public A(int x) { this.x = x; }
  @Override public <Q> void m(int a, String... b) throws E {
    if (a && b) {} else for (int i : x) { int r = x ? 1 : 2; }
    var s = switch (x) { case 1, 2 -> 3; default -> 4; };
    try (R r = f()) { q.z(() -> 1); } catch (A | B e) {} finally {}
  }
  enum E { P, Q(1) { }; int f; }
  record R(int a, int b) { R { } }
}
`,
  c: `#include <stdio.h>
#define F(x, y) ((x) + (y))
#ifdef X
static int add(int a, char *b[], ...) {
  if (a && b || c) {} else switch (a) { case 1: break; default: goto L; }
L: do { x ? y : (int)z; } while (0);
  return "größe" "x"[1];
}
#endif
struct S { int a : 3, *b; struct { int x; } in; };
typedef int (*fp)(int);
enum E { A, B = 2 };
int g = 1, *h, arr[3] = { [0] = 1 };
`,
  cpp: `#include <vector>
namespace a::b { template <typename T> class C : public D {
 public: C() : x(1) {} ~C();
  virtual void m(int a = 1) const override { for (auto& y : z) try {} catch (...) {} }
  bool operator==(const C&) const = default;
  enum class E { A }; using T2 = std::vector<std::vector<int>>;
}; }
template<> void C<int>::q(int a) && noexcept { if constexpr (a and b) co_await [&](int x) { return x; }; }
auto s = R"x(raw "text")x";
`,
  bash: `#!/bin/bash
# Says much.
. ./lib.sh
foo() { local a=1; if [ "$a" ] && b; then c; elif d || e; then f; else g; fi; }
for i in 1 2; do case $1 in a|b) x;; *) y;; esac; done
[[ $a =~ x.*y && \${b:-c} ]] || echo $(( a + 1 )) "$(x | y)" <(z) größe
cat <<EOF
text $X
EOF
export Y=2 Z=(1 2)
`,
};

/** What a grammar is tried with: its own text, or where it has none those of all others, most of which it does not take. */
export function sourcesOf(grammar: string): readonly string[] {
  const own = SOURCES[grammar];
  return own === undefined ? Object.values(SOURCES) : [own];
}
