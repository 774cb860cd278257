/** Certificates of a test, made by openssl(1). */

import { assert } from "@std/assert";

/** Long before and after any test. */
const YEARS = ["20200101000000Z", "20490101000000Z"] as const;

/** In PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority, and what it issues. */
export interface Authority extends Certificate {
  /** `names`: as in a subjectAltName (`DNS:a.example`). */
  issue(names: string, options?: IssueOptions): Promise<Certificate>;
}

/** What may be odd about a certificate. */
export interface IssueOptions {
  /** `YYYYMMDDHHMMSSZ` */
  readonly from?: string;
  readonly to?: string;
  readonly usage?: string;
}

/** Its files lie in `folder`, which is the test's to remove. */
export async function createAuthority(folder: string, name: string): Promise<Authority> {
  const at = (file: string) => `${folder}/${name}-${file}`;
  let issued = 0;
  await openssl(
    ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout".split(" "),
    ...[at("ca.key"), "-out", at("ca.pem"), "-subj", `/CN=${name}`],
    ...["-addext", "basicConstraints=critical,CA:TRUE"],
  );
  return {
    cert: await Deno.readTextFile(at("ca.pem")),
    key: await Deno.readTextFile(at("ca.key")),
    async issue(names, { from = YEARS[0], to = YEARS[1], usage = "serverAuth" } = {}) {
      const file = (ending: string) => at(`${issued}.${ending}`);
      issued++;
      await openssl(
        ..."req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout".split(" "),
        ...[file("key"), "-out", file("csr"), "-subj", "/CN=leaf"],
      );
      await Deno.writeTextFile(
        file("ext"),
        `subjectAltName=${names}\nextendedKeyUsage=${usage}\nbasicConstraints=CA:FALSE\n`,
      );
      await Deno.writeTextFile(
        at("ca.conf"),
        "[ca]\ndefault_ca=own\n[own]\ndatabase=" + at("index") +
          "\nrand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n",
      );
      await Deno.writeTextFile(at("index"), "");
      await openssl(
        ...["ca", "-batch", "-notext", "-config", at("ca.conf"), "-cert", at("ca.pem")],
        ...["-keyfile", at("ca.key"), "-in", file("csr"), "-out", file("pem"), "-outdir", folder],
        ...["-extfile", file("ext"), "-startdate", from, "-enddate", to],
      );
      return {
        cert: await Deno.readTextFile(file("pem")),
        key: await Deno.readTextFile(file("key")),
      };
    },
  };
}

async function openssl(...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  assert(success, `openssl ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}
