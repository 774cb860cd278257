import { assert, assertEquals } from "@std/assert";
import { createRedactor } from "../../../src/audit/redact.ts";
import { Random } from "../../random.ts";

/** Put together here, so that no file of ours holds anything that looks like a secret. */
const A36 = "a1B2c3D4e5".repeat(4).slice(0, 36);
const SECRETS: readonly string[] = [
  "AKIA" + "ABCDEFGHIJ234567",
  "tg_" + A36 + "a_-B2c3",
  "ghp_" + A36,
  "github_pat_" + A36,
  "glpat-" + A36,
  "sk-" + "ant-" + A36,
  "sk_" + "live_" + A36,
  "xoxb-" + "1234567890-" + A36,
  "AIza" + A36.slice(0, 35),
  "npm_" + A36,
  "pypi-" + A36,
  "hf_" + A36,
  "SG." + A36 + "." + A36,
  "eyJhbGciOiJI" + "." + "eyJzdWIiOiIx" + "." + A36,
  "-----BEGIN RSA " + "PRIVATE KEY-----\n" + A36 + "\n-----END RSA PRIVATE KEY-----",
];

const redactor = createRedactor(["(?i)magic", "^x-own$"]);

Deno.test("well-known secrets are taken out of any text, wherever they stand", () => {
  for (const secret of SECRETS) {
    const places: readonly unknown[] = [
      secret,
      `curl -H 'X: ${secret}' host`,
      { note: { deep: [{ text: `before ${secret}, after` }] } },
      ["echo", secret],
      { [secret]: 1 },
    ];
    for (const place of places) {
      const shown = JSON.stringify(redactor.value(place));
      assert(!shown.includes(secret.slice(-20)), `${secret}: ${shown}`);
    }
    assert(!redactor.text(`failed: ${secret}`).includes(secret.slice(-20)));
  }
});

Deno.test("what a secret's name leads is taken out", () => {
  const secret = "hunter2hunter2";
  const cases: readonly unknown[] = [
    { password: secret },
    { apiKey: secret },
    { "api-key": secret },
    { API_TOKEN: secret },
    { nested: [{ authToken: { any: secret } }] },
    { myMagicWord: secret },
    { "X-Own": secret },
    { command: `deploy --password ${secret}` },
    { command: `deploy --password=${secret} now` },
    { command: `DB_PASSWORD=${secret} run` },
    { command: `DB_PASSWORD='${secret}' run` },
    { command: `export AUTH_TOKEN="${secret}"; run` },
    { command: `curl -H 'Authorization: Bearer ${secret}'` },
    { command: `curl https://user:${secret}@example.org/` },
    { content: `password: ${secret}\n` },
    { argv: ["login", "--password", secret] },
    { argv: ["login", `--token=${secret}`] },
    { env: { GITHUB_TOKEN: secret } },
    // Longer than any name: nobody seeks through it what it is.
    { argv: ["login", `--${"a".repeat(600)}`, secret] },
    { ["a".repeat(600)]: secret },
  ];
  for (const value of cases) {
    const shown = JSON.stringify(redactor.value(value));
    assert(!shown.includes(secret), shown);
    assert(shown.includes("[redacted]"), shown);
  }
});

Deno.test("harmless data stays as it is", () => {
  const cases: readonly unknown[] = [
    { path: "src/tokenizer.ts", pattern: "authority", max_results: 5 },
    { command: "git commit -m 'the pattern'", cwd: "." },
    { content: "const authors = 3;\n", encoding: "utf-8" },
    { edits: [{ old: "a", new: "b" }], flag: true, nothing: null },
    "Edit file: src/author.ts",
    ["git", "log", "--oneline", "-5"],
    { url: "https://example.org/a:b/c@d" },
  ];
  for (const value of cases) assertEquals(redactor.value(value), value);
});

Deno.test("what is shown has bounds, and a secret across them is not halved", () => {
  const long = redactor.value({ content: "x".repeat(100_000) }) as { content: string };
  assert(long.content.length < 300 && long.content.includes("100000 characters"), long.content);
  let deep: unknown = "bottom";
  for (let i = 0; i < 1000; i++) deep = [deep];
  assert(JSON.stringify(redactor.value(deep)).length < 100);
  const wide = redactor.value(Array.from({ length: 10_000 }, (_, i) => i)) as unknown[];
  assertEquals(wide.length, 65);
  const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
  assertEquals(Object.keys(redactor.value(keys) as object).length, 65);
  for (const secret of SECRETS) {
    const text = "y".repeat(128 - 12) + " " + secret + " ".repeat(2000);
    assert(!redactor.text(text).includes(secret.slice(0, 16)), redactor.text(text));
  }
});

Deno.test("names are judged alike the first time and later, however many there were", () => {
  const own = createRedactor([]);
  for (let i = 0; i < 2_000; i++) {
    const shown = own.value({ [`password${i}`]: "x", [`plain${i}`]: "x" });
    assertEquals(shown, { [`password${i}`]: "[redacted]", [`plain${i}`]: "x" });
  }
  for (let again = 0; again < 3; again++) {
    assertEquals(own.value({ token: "x", path: "x" }), { token: "[redacted]", path: "x" });
  }
});

Deno.test("a member of any name is shown as a member", () => {
  const text = '{"__proto__":{"a":1},"constructor":"b","2":3,"1":4}';
  assertEquals(JSON.stringify(redactor.value(JSON.parse(text))), JSON.stringify(JSON.parse(text)));
});

Deno.test("hostile texts are redacted in time that grows with them", () => {
  const random = new Random(5);
  const pieces = [
    "password",
    "=",
    ":",
    " ",
    '"',
    "'",
    "--",
    "eyJ",
    ".",
    "sk-",
    "://",
    "@",
    "a",
    "-",
  ];
  for (let i = 0; i < 2_000; i++) {
    redactor.text(Array.from({ length: 60 }, () => random.pick(pieces)).join(""));
  }
  for (const piece of pieces) redactor.value({ text: piece.repeat(500) });
  // 512 characters are looked at in whole, and 1,024 of what is longer.
  redactor.text("eyJ".repeat(1_000_000));
});
