import { assert, assertEquals } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { RISKS } from "../../../../src/core/tool.ts";
import { EFFECTS, type Policy } from "../../../../src/policy/model.ts";
import type { Decision, Subject } from "../../../../src/policy/rulebook.ts";
import { Random } from "../../../random.ts";
import {
  commandRule,
  file,
  pathRule,
  program,
  READER,
  rulebook,
  RUNNER,
  spawn,
} from "../_fixtures.ts";

/** What holds for every decision, over generated policies and requests. */

const GLOBS = [
  "**",
  "*",
  "a",
  "a/**",
  "a/b",
  "**/b",
  "*/c",
  "**/*.x",
  "{a,b}/**",
  "/d/**",
  ".",
  "[ab]/?",
];
const PATHS = [".", "a", "a/b", "a/b/c", "b", "b/c", "c.x", "a/c.x/d", "/d", "/d/e", "/etc/x"];
const PATTERNS = [
  "git",
  "git push",
  "git {log,status}",
  "g*",
  "*",
  "nice",
  "rm",
  "* x",
  "./tool",
  "git * x",
  "/usr/bin/rm",
];
const ARGVS = [
  ["git"],
  ["git", "push"],
  ["git", "-C", "a", "push"],
  ["git", "log", "x"],
  ["nice", "git", "push"],
  ["nice", "rm", "x"],
  ["rm", "-r", "x"],
  ["./tool", "x"],
  ["find", ".", "-exec", "rm", "{}", ";"],
  ["sh", "-c", "x"],
];
const HOSTS = ["a.com", "*.a.com", "*", "127.0.0.1", "a.com:80"];

class Maker {
  constructor(readonly random: Random) {}

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.random.below(most + 1) }, make);
  }

  maybe<T>(make: () => T): T | null {
    return this.random.once(4) ? null : make();
  }

  effect() {
    return this.random.pick(["allow", "allow", "allow", "ask", "deny"] as const);
  }

  path(effect = this.effect()) {
    const access = this.random.pick([["read"], ["write"], ["read", "write"]] as const);
    return pathRule(effect, [this.random.pick(GLOBS)], access, {
      ...(effect !== "allow" && this.random.once(3) ? { outside: ["a"] } : {}),
    });
  }

  command(effect = this.effect()) {
    return commandRule(effect, [this.random.pick(PATTERNS)], {
      exact: this.random.once(5),
      ...(effect !== "allow" && this.random.once(3)
        ? { except: [this.random.pick(PATTERNS)] }
        : {}),
    });
  }

  host(effect = this.effect()) {
    return {
      effect,
      hosts: [this.random.pick(HOSTS)],
      methods: this.maybe(() => [this.random.pick(["GET", "POST"])]),
      allowPrivate: this.random.once(2),
    };
  }

  policy(): Partial<Policy> {
    const { random } = this;
    return {
      paths: this.maybe(() => this.list(4, () => this.path())),
      commands: this.maybe(() => this.list(4, () => this.command())),
      network: this.maybe(() => this.list(3, () => this.host())),
      extensions: this.maybe(() => ({
        read: this.maybe(() => ({
          allow: this.maybe(() => [".x"]),
          deny: this.list(1, () => ".c"),
        })),
        write: null,
      })),
      tools: this.maybe(() => ({
        read_file: { enabled: !random.once(8), risk: random.pick(RISKS) },
        run_command: random.once(2) ? {} : { risk: random.pick(RISKS) },
      })),
      agents: this.maybe(() => ({
        root: { permissions: random.once(6) ? [] : ["all"] },
        "*": { permissions: ["file_read"] },
      })),
      risk: this.maybe(() => ({ allow: random.pick(RISKS), ask: random.pick(RISKS) })),
      environment: this.maybe(() => ({
        pass: this.list(2, () => random.pick(["A", "B"])),
        set: {},
      })),
      sandbox: this.maybe(() => ({ system: this.maybe(() => ["/d"]) })),
    };
  }

  /** Mostly permissive every other time: where all is denied from the start, no property is put to the test. */
  base(): Partial<Policy> {
    const made = this.policy();
    if (this.random.once(2)) return made;
    return {
      ...made,
      paths: [pathRule("allow", ["**", "/**"]), ...this.list(1, () => this.path())],
      commands: [commandRule("allow", ["*"]), ...this.list(1, () => this.command())],
      network: [{ effect: "allow", hosts: ["*"], methods: null, allowPrivate: true }],
      extensions: null,
      tools: null,
      agents: { "*": { permissions: ["all"] } },
      risk: { allow: "dangerous", ask: "dangerous" },
    };
  }

  capability(): ResolvedCapability {
    const { random } = this;
    const path = random.pick(PATHS);
    switch (random.below(5)) {
      case 0:
      case 1:
        return file(random.pick(["fs.read", "fs.write"]), path, random.once(3));
      case 2: {
        const argv = random.pick(ARGVS);
        const name = argv[0]!;
        const found = program(name === "./tool" ? "/w/project/tool" : name);
        const operands = this.list(
          1,
          () => ({ requested: path, path: file("fs.read", path).path }),
        );
        return spawn(argv, { program: random.once(6) ? null : found, operands });
      }
      case 3:
        return {
          kind: "net.connect",
          host: random.pick(["a.com", "x.a.com", "127.0.0.1"]),
          port: random.pick([80, 443]),
          ...(random.once(2) ? {} : { method: "GET" }),
        };
      default:
        return { kind: "env.read", name: random.pick(["A", "B", "PATH"]) };
    }
  }

  subject(): Subject {
    const agent = this.random.pick(["root", "other"]);
    return { ...this.random.pick([READER, RUNNER]), agent };
  }
}

function strictness({ effect }: { readonly effect: Decision["effect"] }): number {
  return EFFECTS.indexOf(effect);
}

/** The values are written out only where the property does not hold. */
function hold(property: boolean, ...values: readonly unknown[]): void {
  assert(property, property ? "" : values.map((value) => JSON.stringify(value)).join("\n"));
}

Deno.test("a rule that denies or asks, added anywhere, never makes anything laxer", () => {
  const make = new Maker(new Random(1));
  for (let round = 0; round < 800; round++) {
    const policies = [make.base(), ...make.list(2, () => make.policy())];
    const at = make.random.below(policies.length);
    const target = policies[at]!;
    // In a further policy a first rule would open a section that judges in full: that is tighter too.
    const section = make.random.pick(["paths", "commands", "network"] as const);
    const deny = "deny" as const;
    const before = target[section] ?? [];
    const place = make.random.below(before.length + 1);
    const added: Partial<Policy> = section === "paths"
      ? { paths: [...(target.paths ?? [])].toSpliced(place, 0, make.path(deny)) }
      : section === "commands"
      ? { commands: [...(target.commands ?? [])].toSpliced(place, 0, make.command(deny)) }
      : { network: [...(target.network ?? [])].toSpliced(place, 0, make.host(deny)) };
    const stricter = policies.with(at, { ...target, ...added });
    const subject = make.subject();
    const capabilities = make.list(2, () => make.capability());
    const was = rulebook(policies).decide(subject, capabilities);
    const is = rulebook(stricter).decide(subject, capabilities);
    hold(strictness(is) >= strictness(was), policies, added, capabilities, was, is);
  }
});

Deno.test("an asking rule beside an allowing one never makes anything laxer", () => {
  const make = new Maker(new Random(2));
  for (let round = 0; round < 1000; round++) {
    const base = make.policy();
    const all = pathRule("allow", ["**", "/**"]);
    const paths = [...(base.paths ?? []), all];
    const capabilities = make.list(2, () => make.capability());
    const was = rulebook([{ ...base, paths }]).decide(READER, capabilities);
    const asking = [...paths, make.path("ask")];
    const is = rulebook([{ ...base, paths: asking }]).decide(READER, capabilities);
    hold(strictness(is) >= strictness(was), asking, capabilities, was, is);
  }
});

Deno.test("a further policy never makes anything laxer", () => {
  const make = new Maker(new Random(3));
  let tightened = 0;
  for (let round = 0; round < 1000; round++) {
    const policies = [make.base(), ...make.list(2, () => make.policy())];
    const further = make.policy();
    const subject = make.subject();
    const capabilities = make.list(2, () => make.capability());
    const one = rulebook(policies);
    const two = rulebook([...policies, further]);
    const was = one.decide(subject, capabilities);
    const is = two.decide(subject, capabilities);
    if (strictness(is) > strictness(was)) tightened++;
    hold(strictness(is) >= strictness(was), policies, further, subject, capabilities, was, is);
    assert(RISKS.indexOf(is.risk) >= RISKS.indexOf(was.risk));
    hold(!two.offers(subject) || one.offers(subject), policies, further, subject);
    for (const path of PATHS.map((path) => file("fs.read", path).path)) {
      assert(!one.mayDenyBelow("read", path) || two.mayDenyBelow("read", path));
    }
  }
  assert(tightened > 100, `${tightened}`);
});

Deno.test("the decision is the strictest of its verdicts or stricter, and always the same", async () => {
  const make = new Maker(new Random(4));
  for (let round = 0; round < 800; round++) {
    const policies = [make.base(), ...make.list(1, () => make.policy())];
    const subject = make.subject();
    const capabilities = make.list(4, () => make.capability());
    const book = rulebook(policies);
    const decision = book.decide(subject, capabilities);
    for (const { verdict } of decision.verdicts) {
      assert(strictness(decision) >= strictness(verdict));
    }
    assertEquals(decision.effect === "allow", decision.code === null);
    assert(decision.effect === "allow" || decision.reason.length > 0);
    const whole = async ({ findings, ...said }: Decision) => [said, await findings()];
    const first = await whole(decision);
    assertEquals(await whole(book.decide(subject, capabilities)), first);
    assertEquals(await whole(rulebook(policies).decide(subject, capabilities)), first);
  }
});

Deno.test("where nothing may be denied below, nothing below is", () => {
  const make = new Maker(new Random(5));
  let covered = 0;
  for (let round = 0; round < 800; round++) {
    const book = rulebook([make.base(), ...make.list(1, () => make.policy())]);
    for (const directory of PATHS) {
      const root = file("fs.read", directory).path;
      if (book.mayDenyBelow("read", root)) continue;
      covered++;
      for (const below of ["a", "b/c", "x.c", "a/b/c.x"]) {
        const path = file("fs.read", `${root}/${below}`).path;
        assertEquals(book.judgePath("read", path).effect, "allow");
      }
    }
  }
  assert(covered > 100, `${covered}`);
});

Deno.test("the entries of a directory fare as each path does", () => {
  const make = new Maker(new Random(6));
  const effects = { allow: 0, ask: 0, deny: 0 };
  for (let round = 0; round < 400; round++) {
    const caseInsensitive = round % 2 === 0;
    const book = rulebook([make.base(), ...make.list(2, () => make.policy())], { caseInsensitive });
    for (const access of ["read", "write"] as const) {
      for (const directory of [...PATHS, "."]) {
        const root = file("fs.read", directory).path;
        const up = root.slice(0, root.lastIndexOf("/")) as typeof root;
        // On the way from the directory above, and at once.
        const judges = [
          book.judgeBelow(access, root),
          book.judgeBelow(access, up).into(root.slice(up.length + 1)),
        ];
        for (const { mayDeny } of judges) assertEquals(mayDeny, book.mayDenyBelow(access, root));
        for (const name of ["a", "b", "x.c", "c.x", ".env", "A", "src"]) {
          for (const kind of ["file", "directory"] as const) {
            const path = file("fs.read", `${root}/${name}`).path;
            const { effect } = book.judgePath(access, path, kind);
            for (const judge of judges) {
              assertEquals(judge.effectOf(name, kind), effect, `${access} ${path} ${kind}`);
            }
            effects[effect]++;
          }
        }
      }
    }
  }
  assert(Math.min(...Object.values(effects)) > 1000, JSON.stringify(effects));
});
