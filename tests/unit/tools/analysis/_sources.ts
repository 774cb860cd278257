/** A file of honest code in each language, with what its analyses look at: comments, strings, nests, imports, types. */

/** By the name of the file. */
export const SOURCES: Readonly<Record<string, string>> = {
  "a.ts": `/** Sums. */
import { one, type Two } from "./b.tsx";
export interface Shape<T> { readonly area: number; scale(by: number): T }
export const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
export abstract class Circle implements Shape<Circle> {
  constructor(private readonly r: number) {}
  get area(): number { return this.r > 0 && one ? Math.PI * this.r ** 2 : 0; }
  scale(by: number): Circle { for (const a of [by]) if (a) return this; throw new Error(\`no \${by}\`); }
}
`,
  "b.tsx": `// A view.
import type { Shape } from "./a.ts";
export const one = <T,>(given: T) => given;
export default function View({ items }: { items: Shape<unknown>[] }) {
  return <ul className="x">{items.map((item) => item.area > 1 ? <li key={1}>{item.area}</li> : null)}</ul>;
}
`,
  "c.js": `"use strict";
const { join } = require("node:path"), left = require("left-pad");
function walk(tree, depth = 0) {
  try { switch (tree.kind) { case "a": return walk(tree.next, depth + 1); default: break; } }
  catch { label: while (true) { break label; } }
}
exports.walk = walk; exports.re = /[/*]"/g;
module.exports.later = async () => await import("./a.ts");
`,
  "d.py": `"""Docs."""
from __future__ import annotations
import os.path, sys as system
from . import e as near

class Tree(dict):
    """A tree."""
    def walk(self, *names, deep: int = 0, **more) -> "Tree | None":
        for name in names:
            if name and not deep or name == '#':
                yield from (each for each in self[name] if each)
            elif deep > 3: continue
        else:
            return None
`,
  "e.go": `// Package p is one.
package p

import (
	"fmt"
	other "example.com/m/q"
)

type Stack[T any] struct { items []T; fmt.Stringer }

// Push adds.
func (s *Stack[T]) Push(item T, more ...T) (n int, err error) {
	for i, each := range more { if each != nil && i > 0 || n == 1 { continue } }
	switch v := any(item).(type) { case int: n = v; default: defer func() { other.Call() }() }
	return
}
`,
  "f.rs": `//! Crate.
use std::{collections::HashMap, fmt};
mod inner { pub const LIMIT: usize = 1; }
/// A point.
#[derive(Debug)]
pub struct Point<'a> { pub name: &'a str, x: i32 }
impl<'a> fmt::Display for Point<'a> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(x) = Some(self.x) else { return Ok(()) };
        match x { 0 if x > inner::LIMIT as i32 => write!(f, "a"), _ => loop { break Ok(()) } }
    }
}
`,
  "G.java": `package p;
import java.util.List;
import static java.lang.Math.max;
/** A thing. */
public final class G<T extends Comparable<T>> implements Runnable {
  private final List<T> all = List.of();
  @Override public void run() {
    for (T each : all) { if (each != null && max(1, 2) > 1) new Thread(() -> run()).start(); else continue; }
    try { throw new Exception("a"); } catch (Exception e) { do { } while (false); }
  }
  enum Kind { ONE, TWO { int f() { return 2; } } }
}
`,
  "h.c": `/* Head. */
#include <stdio.h>
#include "near.h"
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct node { int value; struct node *next; } node_t;
static int walk(const node_t *at, int (*each)(int), ...) {
#if defined(A) && !B
  while (at && at->value) { if (each(at->value)) goto out; at = at->next; }
#endif
  switch (at->value) { case 1: case 2: return MAX(1, 2); default: ; }
out:
  return at ? 'x' : "\\"/*"[0];
}
`,
  "i.cpp": `// Head.
#include <vector>
namespace n { template <typename T, int N = 3> class Box : public Base<T> {
 public:
  explicit Box(T &&given) noexcept : held(std::move(given)) {}
  auto map(auto f) const -> decltype(f(held)) { return [&, this](int a) mutable { return a && f(held); }(1); }
  bool operator<(const Box &other) const { return held < other.held; }
 private: T held; };
enum class Kind : char { One = 'a', Two }; }
int main(int argc, char **argv) try { for (auto &&a : std::vector<int>{1}) if (a) continue; } catch (...) { return 1; }
`,
  "j.sh": `#!/bin/bash
# Runs.
source ./lib.sh
run() {
  local name="\${1:-x}"; for each in "$@"; do if [[ $each == a* ]] && true; then case $each in a) echo "$(date)";; *) return 1;; esac; fi; done
  cat <<EOF
text $name
EOF
}
run "$@" || exit $?
`,
};
