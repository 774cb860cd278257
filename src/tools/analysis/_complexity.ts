/**
 * How hard functions are to test and to follow. Cyclomatic: T. J. McCabe, "A Complexity Measure", IEEE Transactions on
 * Software Engineering SE-2(4), 1976. Cognitive: G. A. Campbell, "Cognitive Complexity: A new way of measuring
 * understandability", SonarSource, version 1.7, 2023.
 */

import { NODE, type SyntaxTree } from "../../core/syntax_tree.ts";
import { type CodeFile, PAUSE } from "../../toolkit/code/code_file.ts";
import { FunctionNames } from "./_function_names.ts";
import {
  childBy,
  childOf,
  isLeaf,
  kindOf,
  type Kinds,
  type Numbered,
  textOf,
} from "../../toolkit/code/kinds.ts";
import { commentsOf, LineKinds } from "../../toolkit/code/lines.ts";
import type { LineIndex } from "../../toolkit/code/lines.ts";
import { countParameters } from "./_parameters.ts";

/** The measures of one function. Lines from 1. */
export interface Measures {
  readonly name: string;
  readonly line: number;
  readonly end_line: number;
  readonly cyclomatic: number;
  readonly cognitive: number;
  /** Lines of code in it. */
  readonly nloc: number;
  readonly parameters: number;
  /** How deep its conditions, loops, cases and handlers lie in one another. */
  readonly nesting: number;
}

/** A function that the walk is in. */
interface Open {
  readonly node: number;
  readonly end: number;
  /** Nesting at its beginning. */
  readonly base: number;
  readonly name: string;
  /** Null where it has no name. */
  readonly self: Self | null;
  cyclomatic: number;
  /** Of what stands in it, and of what stands in functions within it. */
  own: number;
  inner: number;
  nesting: number;
  recursive: boolean;
  /** It branches or loops itself. */
  structured: boolean;
  /** What lies in it is no deeper for that (the paper's "Compensating usages", "Python: Decorators"). */
  readonly isDecorator: boolean;
}

/** How a function is called by itself. */
interface Self {
  readonly bare: string;
  /** Its bare name alone means it. */
  readonly isOptional: boolean;
  /** What else may stand before that: the receiver of Go. */
  readonly receiver: string;
}

/** Where another level of nesting holds. */
interface Region {
  readonly end: number;
  readonly level: number;
}

/** Fields of a statement that stand before its body: what lies in them is not nested by it. */
const HEADS = [
  "condition",
  "initializer",
  "update",
  "increment",
  "left",
  "right",
  "value",
  "subject",
  "parameter",
  "pattern",
];

/** What stands before a member's name where it is of the same object or type, and letters of that at most. */
const SELVES: ReadonlySet<string> = new Set(["this.", "this->", "self.", "cls.", "Self::"]);
const LONGEST_SELF = 42;

/** Enclosing functions that learn of what stands in a function: deeper ones are no work of people. */
const ENCLOSING = 64;

/** In the order in which they begin. */
export function measure({ tree, numbers, lines, pause }: CodeFile): readonly Measures[] {
  return new Meter(tree, numbers, lines).read(pause);
}

class Meter {
  readonly #tree: SyntaxTree;
  readonly #numbers: Numbered;
  readonly #lines: LineIndex;
  readonly #names: FunctionNames;
  readonly #open: Open[] = [];
  readonly #regions: Region[] = [];
  readonly #found: { readonly node: number; readonly measures: Measures }[] = [];
  /** For nodes of logical expressions: the outermost, and the last sign that was come to in each of those. */
  readonly #outermost = new Map<number, number>();
  readonly #lastSign = new Map<number, number>();
  readonly #headFields: ReadonlySet<number>;
  readonly #docstrings: Kinds;
  #lineKinds: LineKinds | null = null;

  constructor(tree: SyntaxTree, numbers: Numbered, lines: LineIndex) {
    this.#tree = tree;
    this.#numbers = numbers;
    this.#lines = lines;
    this.#names = new FunctionNames(tree, numbers);
    const { docstrings } = numbers.language;
    this.#docstrings = numbers.set(docstrings === undefined ? [] : [docstrings.string]);
    this.#headFields = new Set(HEADS.map((name) => numbers.field(name)).filter((at) => at > 0));
  }

  read(pause: () => void): readonly Measures[] {
    const { count, kinds, parents, fields, nexts, flags } = this.#tree;
    const { flow, types } = this.#numbers;
    for (let node = 0; node < count; node++) {
      if (node % PAUSE === 0) pause();
      const kind = kinds[node] as number;
      const parent = parents[node] as number;
      const isHead = parent >= 0 && flow.nests[kinds[parent] as number] === 1 &&
        this.#headFields.has(fields[node] as number);
      if (flow.counts[kind] !== 1 && types[kind] !== 1 && !isHead) continue;
      this.#leave(node);
      if (isHead && this.#open.length > 0) {
        this.#regions.push({ end: nexts[node] as number, level: this.#level - 1 });
      }
      const isNamed = ((flags[node] as number) & NODE.named) !== 0;
      if (!isNamed) {
        const isLogical = flow.logical[kind] === 1 &&
          flow.noLogical[parent < 0 ? 0 : kinds[parent] as number] !== 1;
        if (isLogical) this.#logical(node, parent);
      } else if (flow.functions[kind] === 1) this.#enter(node);
      else if (types[kind] === 1) this.#names.enterType(node);
      else if (this.#open.length > 0) this.#count(node, kind, parent);
    }
    this.#leave(count);
    return this.#found.sort((a, b) => a.node - b.node).map(({ measures }) => measures);
  }

  get #level(): number {
    return this.#regions.at(-1)?.level ?? 0;
  }

  #count(node: number, kind: number, parent: number): void {
    const { flow } = this.#numbers;
    if (flow.ifs[kind] === 1) {
      this.#branch(1);
      if (this.#isElseIf(node, parent)) this.#add(1);
      else this.#structure(node);
      this.#elseWithoutNode(node);
    } else if (flow.elseIfs[kind] === 1) {
      this.#branch(1);
      this.#add(1);
    } else if (flow.elses[kind] === 1) {
      if (childOf(this.#tree, node, flow.ifs) < 0) this.#add(1);
    } else if (flow.loops[kind] === 1 || flow.handlers[kind] === 1) {
      this.#branch(1);
      this.#structure(node);
    } else if (flow.conditionals[kind] === 1) {
      this.#branch(1);
      this.#structure(node);
    } else if (flow.switches[kind] === 1) this.#structure(node);
    else if (flow.cases[kind] === 1) {
      if (!this.#isDefault(node)) this.#branch(1);
    } else if (flow.otherBranches[kind] === 1) this.#branch(1);
    else if (flow.lambdas[kind] === 1) this.#deeper(node);
    else if (flow.jumps[kind] === 1) {
      const label = childOf(this.#tree, node, flow.labels);
      if (label >= 0) this.#add(1);
    } else if (flow.calls.has(kind)) this.#call(node, flow.calls.get(kind) ?? "");
    else if (flow.alternatives.has(kind)) {
      const field = this.#numbers.field(flow.alternatives.get(kind) ?? "");
      if (childBy(this.#tree, node, field) >= 0) this.#branch(1);
    }
  }

  /** `else if`: in an `else`, or in the place of one. */
  #isElseIf(node: number, parent: number): boolean {
    const { flow, field } = this.#numbers;
    const kind = this.#tree.kinds[parent] as number;
    return flow.elses[kind] === 1 ||
      (flow.ifs[kind] === 1 && this.#tree.fields[node] === field("alternative"));
  }

  /** An `else` that is but a field of its `if` (Go, Java). */
  #elseWithoutNode(node: number): void {
    const { flow, field } = this.#numbers;
    const other = childBy(this.#tree, node, field("alternative"));
    if (other < 0) return;
    const kind = this.#tree.kinds[other] as number;
    const isOwn = flow.ifs[kind] !== 1 && flow.elses[kind] !== 1 && flow.elseIfs[kind] !== 1;
    if (isOwn) this.#add(1);
  }

  /** `default:`, `case _`, `*)`: what is left when all others are not meant. */
  #isDefault(node: number): boolean {
    const first = node + 1;
    const text = textOf(this.#tree, first).trim();
    if (text === "default" || text === "_" || text === "*") return true;
    if (text !== "case") return false;
    const pattern = this.#tree.nexts[first] as number;
    const isGuarded = childBy(this.#tree, node, this.#numbers.field("guard")) >= 0;
    return !isGuarded && textOf(this.#tree, pattern).trim() === "_";
  }

  /** One way more through the innermost function. */
  #branch(by: number): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.cyclomatic += by;
  }

  /** Adds to cognitive complexity, of the innermost function and of those around it. */
  #add(by: number, level: number | null = null): void {
    const last = this.#open.length - 1;
    for (let at = last; at >= 0 && at > last - ENCLOSING; at--) {
      const open = this.#open[at] as Open;
      const amount = level === null ? by : by + level - open.base;
      if (at === last) open.own += amount;
      else open.inner += amount;
    }
  }

  /** What counts for itself and for how deep it lies, and in which more counts for lying in it. */
  #structure(node: number): void {
    const level = this.#level;
    this.#add(1, level);
    const open = this.#open.at(-1);
    if (open === undefined) return;
    open.structured = true;
    open.nesting = Math.max(open.nesting, level + 1 - open.base);
    this.#deeper(node);
  }

  /** What lies in it lies one level deeper. */
  #deeper(node: number): void {
    this.#regions.push({ end: this.#tree.nexts[node] as number, level: this.#level + 1 });
  }

  #logical(sign: number, parent: number): void {
    if (this.#open.length === 0 || !isLeaf(this.#tree, sign)) return;
    this.#branch(1);
    const top = this.#outermostOf(parent);
    const kind = this.#tree.kinds[sign] as number;
    if (this.#lastSign.get(top) !== kind) this.#add(1);
    this.#lastSign.set(top, kind);
  }

  /** Each node is climbed from once: a chain may be as long as the text. */
  #outermostOf(node: number): number {
    const path: number[] = [];
    let at = node;
    let top = this.#outermost.get(at);
    while (top === undefined) {
      path.push(at);
      const parent = this.#tree.parents[at] as number;
      if (parent < 0 || !this.#isLogical(parent)) top = at;
      else {
        at = parent;
        top = this.#outermost.get(at);
      }
    }
    for (const each of path) this.#outermost.set(each, top);
    return top;
  }

  #isLogical(node: number): boolean {
    const { flow } = this.#numbers;
    if (kindOf(this.#tree, node).startsWith("parenthesized")) {
      const parent = this.#tree.parents[node] as number;
      return parent >= 0 && childOf(this.#tree, parent, flow.logical) >= 0;
    }
    return childOf(this.#tree, node, flow.logical) >= 0;
  }

  /** A function that calls itself counts one more, however often it does. */
  #call(node: number, field: string): void {
    const open = this.#open.at(-1);
    if (open === undefined || open.recursive || open.self === null) return;
    const called = childBy(this.#tree, node, this.#numbers.field(field));
    if (called < 0 || !this.#isSelf(open.self, node, called)) return;
    open.recursive = true;
    this.#add(1);
  }

  #isSelf({ bare, isOptional, receiver }: Self, node: number, called: number): boolean {
    const length = (this.#tree.ends[called] as number) - (this.#tree.starts[called] as number);
    if (length < bare.length || length > bare.length + LONGEST_SELF) return false;
    const text = textOf(this.#tree, called);
    if (!text.endsWith(bare)) return false;
    // Java's calls have the object apart from the name.
    const object = childBy(this.#tree, node, this.#numbers.field("object"));
    const before = object < 0
      ? text.slice(0, -bare.length)
      : `${textOf(this.#tree, object).slice(0, LONGEST_SELF)}.`;
    return before === "" ? isOptional : SELVES.has(before) || before === receiver;
  }

  #selfOf(node: number, bare: string, isMember: boolean): Self {
    const at = childBy(this.#tree, node, this.#numbers.field("receiver"));
    const [, own = ""] = at < 0 ? [] : textOf(this.#tree, at).match(/^\(\s*(\w{1,40})\s/) ?? [];
    const isOptional = !isMember || this.#numbers.language.flow.bareMembers === true;
    return { bare, isOptional, receiver: `${own}.` };
  }

  #enter(node: number): void {
    const around = this.#open.at(-1);
    const level = around === undefined ? 0 : this.#level + (around.isDecorator ? 0 : 1);
    const end = this.#tree.nexts[node] as number;
    const { name, bare, isMember } = this.#names.of(node, around?.node ?? -1);
    this.#regions.push({ end, level });
    this.#open.push({
      node,
      end,
      base: level,
      name,
      self: bare === null ? null : this.#selfOf(node, bare, isMember),
      cyclomatic: 1,
      own: 0,
      inner: 0,
      nesting: 0,
      recursive: false,
      structured: false,
      isDecorator: this.#isDecorator(node),
    });
  }

  /** Whether it has nothing but a function and a `return`: its docstring and comments are no code. */
  #isDecorator(node: number): boolean {
    const { flow: { decorators, functions }, comments, field } = this.#numbers;
    const body = decorators === null ? -1 : childBy(this.#tree, node, field("body"));
    if (decorators === null || body < 0) return false;
    const { kinds, nexts } = this.#tree;
    let held = 0;
    const end = nexts[body] as number;
    for (let child = body + 1; child < end; child = nexts[child] as number) {
      const kind = kinds[child] as number;
      if (comments[kind] === 1) continue;
      const isDocstring = held === 0 && child === body + 1 &&
        this.#docstrings[kinds[child + 1] as number] === 1;
      if (isDocstring) continue;
      const isFunction = functions[kind] === 1 || childOf(this.#tree, child, functions) >= 0;
      const isExpected = held === 0
        ? decorators.holds[kind] === 1 && isFunction
        : decorators.returns[kind] === 1;
      if (!isExpected || ++held > 2) return false;
    }
    return held === 2;
  }

  #leave(node: number): void {
    while ((this.#regions.at(-1)?.end ?? Infinity) <= node) this.#regions.pop();
    for (
      let open = this.#open.at(-1);
      open !== undefined && open.end <= node;
      open = this.#open.at(-1)
    ) {
      this.#open.pop();
      this.#close(open);
    }
  }

  #close(open: Open): void {
    const { node, name, cyclomatic, own, inner, nesting, structured } = open;
    const line = this.#lines.line(this.#names.declarations.start(node));
    const end = this.#lines.lastLine(this.#tree, node);
    // A function that but holds others is how some languages write a module (the paper's "Compensating usages").
    const isFrame = !structured && this.#numbers.language.flow.frames === true;
    this.#lineKinds ??= new LineKinds(this.#tree.text, commentsOf(this.#tree, this.#numbers));
    this.#found.push({
      node,
      measures: {
        name,
        line,
        end_line: end,
        cyclomatic,
        cognitive: own + (isFrame ? 0 : inner),
        nloc: this.#lineKinds.code(line, end),
        parameters: countParameters(this.#tree, this.#numbers, node),
        nesting,
      },
    });
  }
}
