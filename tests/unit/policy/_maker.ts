/** Policies and requests that meet each other often: few names, many ways to write them. */

import type { ResolvedCapability } from "../../../src/core/capability.ts";
import type { Policy } from "../../../src/policy/model.ts";
import type { Random } from "../../random.ts";
import { commandRule, file, pathRule, policy, program, spawn, WORKSPACE } from "./_fixtures.ts";

export type Section = "paths" | "commands" | "network" | "agents" | "extensions";

const SEGMENTS = [
  "a",
  "b",
  "c.x",
  "*",
  "**",
  "a*",
  "*a",
  "*.x",
  "[ab]",
  "[!a]",
  "?",
  "{a,b}",
  "a?b",
];
const NAMES = ["a", "b", "ab", "aab", "c.x", "a.x", "bb", "axb", ".x", "c"];
const WORDS = ["x", "-y", "*", "{x,z}", "{x,-y}", "x*", "*x", "z"];
const ARGUMENTS = ["x", "-y", "z", "xx", "yx", "-C", "x-"];
const PROGRAMS = ["git", "rm", "g*", "*", "{git,rm}", "./tool", "/usr/bin/git", "*t"];
const HOSTS = [
  "a.com",
  "*.a.com",
  "b.a.com",
  "*",
  "a.com:80",
  "*.a.com:80",
  "127.0.0.1",
  "*.b.a.com",
];
const AGENTS = ["*", "a*", "a**", "*a*", "ab", "a-*", "a-*-c", "**", "b*"];
const ENDINGS = [".x", ".c.x", ".y"];

export class Maker {
  #last = "";

  constructor(readonly random: Random) {}

  list<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.random.below(most - least + 1) }, make);
  }

  effect() {
    return this.random.pick(["allow", "allow", "ask", "deny"] as const);
  }

  glob(): string {
    // Now and then what lies below the one before: rules that restrict and rules that grant differ there.
    const below = this.#last !== "" && this.random.once(4);
    const parts = this.list(1, below ? 1 : 3, () => this.random.pick(SEGMENTS));
    const text = (below ? `${this.#last}/` : "") + parts.join("/");
    this.#last = below ? "" : text;
    return !below && this.random.once(8) ? `/w/${text}` : text;
  }

  methods() {
    return this.random.once(2) ? null : this.list(1, 2, () => this.random.pick(["GET", "POST"]));
  }

  policy(): Policy {
    const { random } = this;
    return policy({
      paths: this.list(1, 5, () => {
        const access = random.pick([["read"], ["write"], ["read", "write"]] as const);
        const effect = this.effect();
        const outside = [random.pick(["a", "b"])];
        return pathRule(effect, [this.glob()], access, {
          ...(effect !== "allow" && random.once(3) ? { outside } : {}),
        });
      }),
      commands: this.list(1, 5, () => {
        const words = [random.pick(PROGRAMS), ...this.list(0, 2, () => random.pick(WORDS))];
        const effect = this.effect();
        return commandRule(effect, [words.join(" ")], {
          exact: random.once(4),
          ...(effect === "allow" && random.once(4) ? { risk: "dangerous" } : {}),
          ...(effect !== "allow" && random.once(4)
            ? { except: [[...words, random.pick(WORDS)].join(" ")] }
            : {}),
        });
      }),
      network: this.list(1, 5, () => ({
        effect: this.effect(),
        hosts: [random.pick(HOSTS)],
        methods: this.methods(),
        allowPrivate: random.once(2),
      })),
      agents: Object.fromEntries(
        this.list(1, 4, () => [
          random.pick(AGENTS),
          { permissions: [random.pick(["all", "file_read", "file_write"] as const)] },
        ]),
      ),
      extensions: random.once(2) ? null : {
        read: {
          allow: this.list(1, 3, () => random.pick(ENDINGS)),
          deny: this.list(0, 2, () => random.pick(ENDINGS)),
        },
        write: null,
      },
      risk: { allow: "dangerous", ask: "dangerous" },
    });
  }

  path(): string {
    const path = this.list(1, 4, () => this.random.pick(NAMES)).join("/");
    return this.random.once(10) ? `/w/${path}` : path;
  }

  capability(section: Section): ResolvedCapability {
    const { random } = this;
    switch (section) {
      case "commands": {
        const name = random.pick(["git", "rm", "./tool", "gt", "other"]);
        const argv = [name, ...this.list(0, 3, () => random.pick(ARGUMENTS))];
        const found = program(name === "./tool" ? `${WORKSPACE}/tool` : name);
        return spawn(argv, { program: random.once(4) ? null : found });
      }
      case "network": {
        const host = random.pick(["a.com", "b.a.com", "c.b.a.com", "d.com", "127.0.0.1"]);
        const method = random.pick([{}, { method: "GET" }, { method: "POST" }, { method: "PUT" }]);
        return { kind: "net.connect", host, port: random.pick([80, 443]), ...method };
      }
      default:
        return file(random.pick(["fs.read", "fs.write"]), this.path(), random.once(4));
    }
  }
}
