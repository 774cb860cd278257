import { assert, assertEquals } from "@std/assert";
import { isHarmless } from "../../../src/audit/_harmless.ts";
import { cleaned, secretNames } from "../../../src/audit/redact.ts";
import { Random } from "../../random.ts";

const isSecret = secretNames(["(?i)magic", "^x-own$"]);

/** Beginnings, names, separators and fillings of all that the close look knows, and what stands between them. */
const PIECES: readonly string[] = [
  ..."-----BEGIN |PRIVATE KEY|AKIA|ASIA|tg_|ghp_|github_pat_|glpat-|glrt-|sk-|sk_live_|rk_test_|xoxb-"
    .split("|"),
  ..."hooks.slack.com/services/|AIza|GOCSPX-|ya29.|npm_|pypi-|dckr_pat_|hf_|dop_v1_|SG.|SK|shpat_"
    .split("|"),
  ..."dapi|eyJ|authorization|Authorization|bearer|BEARER|token|://|https|user|@|password|apiKey"
    .split("|"),
  ..."x-own|X-Own|myMagic|pat|API_TOKEN|file|path|src/main.ts|Read file|-|--|---|=|:|.|,|;|/".split(
    "|",
  ),
  ..." |  |   |    |\n|\t|\u00a0|\u2003|ä|\u{1f995}|\"|'|(|{|[|?|&|_|a|Z9|0|1234".split("|"),
  "a1B2c3D4",
  "a1B2c3D4e5",
  "ABCDEFGHIJ234567",
  "0123456789abcdef",
  "a1B2c3D4e5".repeat(4).slice(0, 36),
];

Deno.test("what is called harmless is what the close look leaves alone", () => {
  const random = new Random(17);
  let harmless = 0;
  let changed = 0;
  for (let i = 0; i < 200_000; i++) {
    const text = random.text(1 + (i % 9), PIECES);
    const clean = cleaned(text, isSecret);
    if (clean !== text) changed++;
    if (!isHarmless(text, isSecret)) continue;
    harmless++;
    assertEquals(clean, text);
  }
  assert(harmless > 10_000 && changed > 4_000, `${harmless} harmless, ${changed} changed`);
});

Deno.test("the shortest of each secret gets the close look, whatever stands around it", () => {
  const a = (length: number) => "a1B2c3D4e5".repeat(10).slice(0, length);
  const hex = "0123456789abcdef".repeat(4);
  const shortest: readonly string[] = [
    "-----BEGIN " + "PRIVATE KEY-----",
    "AKIA" + "ABCDEFGHIJ234567",
    "tg_" + a(43),
    "ghp_" + a(36),
    "github_pat_" + a(22),
    "glrt-" + a(20),
    "sk-" + a(20),
    "sk_live_" + a(10),
    "xoxb-" + a(10),
    "hooks.slack.com/services/" + "T0/B0/".repeat(4),
    "AIza" + a(35),
    "GOCSPX-" + a(20),
    "ya29." + a(20),
    "npm_" + a(36),
    "pypi-" + a(16),
    "dckr_pat_" + a(20),
    "hf_" + a(30),
    "dop_v1_" + hex,
    "SG." + a(16) + "." + a(16),
    "SK" + hex.slice(0, 32),
    "shpat_" + hex.slice(0, 32),
    "dapi" + hex.slice(0, 32),
    "eyJ" + a(8) + ".eyJ" + a(8) + "." + a(8),
    "authorization:abcd",
    "Authorization = 'abcd",
    "bearer a/b.c~d+e-f_0123",
    "Bearer\ta/b.c~d+e-f_0123",
    "ab://:x@",
    "password=x",
    "a.password : x",
    '"password": x',
    "--password=x",
    "--password x",
    "-myMagic x",
    "x-own=1",
  ];
  for (const secret of shortest) {
    for (const before of ["", " ", "\n", "ä ", "(", "a/", "Read file: "]) {
      for (const after of ["", " ", "/", "\u00a0"]) {
        const text = before + secret + after;
        if (cleaned(text, isSecret) !== text) assert(!isHarmless(text, isSecret), text);
      }
    }
    assert(cleaned(secret, isSecret) !== secret, secret);
  }
});

Deno.test("ordinary paths and descriptions are spared the close look", () => {
  for (
    const text of [
      "",
      "src/audit/log.ts",
      "Read file: docs/größe.md",
      "Search files: TODO in src",
      "git commit",
      "a-b_c.d/e f",
    ]
  ) assert(isHarmless(text, isSecret), text);
});
