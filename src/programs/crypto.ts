/** What is known of programs that digest, encrypt and make keys: openssl(1), each of its commands a program of its own. */

import type { OptionsLiteral, OptionSpec, ProgramTable } from "./spec.ts";

/** A key or certificate: a file, or an address (provider-storemgmt(7)) that names a library which is loaded then. */
const STORED: OptionSpec = {
  is: "read",
  holding: /org\.openssl\.engine:/i,
  risk: "dangerous",
  because: "loads code",
};

/** What most of its commands take (openssl-format-options(1), openssl(1)). */
const COMMON: OptionsLiteral = {
  "-in": STORED,
  "-rand": "read",
  "-out -writerand": "write",
  "-engine -provider -provider-path": "library",
  "-config": { is: "library", because: "loads what a file configures" },
  // A password that lies in a file (`file:pw.txt`) is not read: no word names that file alone.
  "-inform -outform -pass -passin -passout -propquery": "text",
};

const CIPHER: OptionsLiteral = {
  ...COMMON,
  "-kfile": "read",
  "-k -K -iv -S -md -iter -bufsize -saltlen -skeymgmt -skeyopt": "text",
};

const CERTIFICATE: OptionsLiteral = {
  ...COMMON,
  "-key -CA -CAkey -signkey -force_pubkey": STORED,
  "-extfile": "read",
  "-keyout -CAserial": "write",
  "-days -subj -set_subject -set_serial -checkend -checkhost -checkemail -checkip -ext -extensions":
    "text",
  "-keyform -CAform -CAkeyform -nameopt -certopt -reqopt -sigopt -vfyopt -newkey -addext": "text",
  "-reqexts -section -pkeyopt -setalias -addtrust -addreject -not_before -not_after": "text",
};

/** Programs for digests, ciphers, keys and certificates. */
export const CRYPTO: ProgramTable = {
  openssl: {
    risk: "safe",
    grammar: "words",
    operands: "probe...",
    options: COMMON,
    starts: "none",
    subcommands: {
      "version list help ciphers errstr prime": { risk: "safe", operands: "text..." },
      "rand passwd": {
        risk: "safe",
        operands: "text...",
        options: { ...COMMON, "-salt": "text" },
      },
      "dgst md5 sha1 sha224 sha256 sha384 sha512 sha512-256 sha3-256 sha3-384 sha3-512 blake2b512 blake2s256":
        {
          risk: "safe",
          operands: "read...",
          options: {
            ...COMMON,
            "-sign -verify -prverify": STORED,
            "-signature": "read",
            "-hmac -mac -macopt -keyform -sigopt -xoflen": "text",
          },
        },
      "enc base64 aes-128-cbc aes-192-cbc aes-256-cbc aes-128-ctr aes-192-ctr aes-256-ctr chacha20":
        { risk: "safe", operands: "text...", options: CIPHER },
      "x509 req": { risk: "safe", operands: "text...", options: CERTIFICATE },
      "genrsa genpkey": {
        risk: "safe",
        operands: "text...",
        options: { ...COMMON, "-algorithm -pkeyopt": "text", "-paramfile": "read" },
      },
      "pkey rsa ec asn1parse": {
        risk: "safe",
        operands: "text...",
        options: { ...COMMON, "-strparse -offset -length -oid -conv_form -param_enc": "text" },
      },
      "s_client s_server s_time ocsp cmp": { risk: "dangerous", because: "connects" },
    },
  },
};
