/** What is known of programs that connect to other machines, or work on them. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable } from "./spec.ts";

const CURL: OptionsLiteral = {
  "-d --data --data-binary --data-urlencode --data-ascii --json -F --form -H --header --variable --url-query":
    "sent",
  "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save":
    "write",
  "--hsts --alt-svc --libcurl": "write",
  "--output-dir": "into",
  "-T --upload-file": { is: "read", risk: "dangerous", because: "sends a file" },
  "-K --config": { is: "read", risk: "dangerous", because: "takes options from a file" },
  "--engine": "library",
  "--proxy-insecure": { is: "flag", risk: "dangerous", because: "trusts whoever answers" },
  "-E --cert --key --cacert --capath -b --cookie --netrc-file --etag-compare": "read",
  "--proxy-cacert --proxy-cert --crlfile": "read",
  "--url -x --proxy --preproxy --socks5 --socks5-hostname --socks4 --socks4a --doh-url": "host",
  "-X --request --data-raw --form-string -u --user -U --proxy-user -A --user-agent -e --referer":
    "text",
  "-m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out": "text",
  "-r --range -C --continue-at -y -Y --limit-rate --resolve --connect-to -Q --quote": "text",
  "-z --time-cond --ciphers --max-redirs --interface --local-port -P --ftp-port": "text",
  "--unix-socket --abstract-unix-socket --noproxy --oauth2-bearer --request-target": "text",
  "--max-filesize --speed-limit --speed-time --keepalive-time --expect100-timeout --rate": "text",
  "--proto --proto-redir --proto-default --tls-max --tls13-ciphers --curves --pass": "text",
  "--cert-type --key-type --pinnedpubkey --parallel-max --happy-eyeballs-timeout-ms": "text",
};

const WGET: OptionsLiteral = {
  "-O --output-document -o --output-file -a --append-output --save-cookies --rejected-log": "write",
  "--warc-file": "write",
  "-P --directory-prefix": "into",
  "--post-file --body-file": { is: "read", risk: "dangerous", because: "sends a file" },
  "-i --input-file --load-cookies --certificate --private-key --ca-certificate --config": "read",
  "-e --execute": { is: "code", because: "runs what it is told" },
  "--use-askpass": "command",
  "-t --tries -T --timeout -w --wait -U --user-agent --header --user --password --referer": "text",
  "-Q --quota -l --level -A --accept -R --reject -D --domains --post-data --body-data": "text",
  "--method --limit-rate --max-redirect": "text",
};

function remote(because: string): ProgramLiteral {
  return { risk: "dangerous", because };
}

/** ssh_config(5): `-o ProxyCommand=…` and those like it name a command. */
const PROXY = { is: "command", form: "setting" } as const;

const CONTAINERS: ProgramLiteral = {
  ...remote("runs programs outside these rules"),
  review: { ways: [["run", "-v", "/:/host", "IMAGE"]], instead: 'write "docker ps" and the like' },
};

/** Programs that connect. */
export const NETWORK: ProgramTable = {
  curl: {
    risk: "moderate",
    // Whom it trusts.
    beyond: "system",
    operands: "host...",
    options: CURL,
    when: [{ has: "-O --remote-name -J --remote-name-all", operands: "host...", here: true }],
  },
  wget: {
    risk: "moderate",
    // Whom it trusts.
    beyond: "system",
    operands: "host...",
    options: WGET,
    here: true,
    when: [{ has: "-O --output-document --spider", operands: "host..." }],
  },
  rsync: {
    risk: "moderate",
    // Its lists of names, and what is to be left out.
    beyond: "workspace",
    operands: "read... write",
    options: {
      "--exclude --include --max-size --min-size --timeout --bwlimit --chmod -f --filter": "text",
      "--exclude-from --include-from --files-from --password-file": "read",
      "--backup-dir --log-file --partial-dir -T --temp-dir": "write",
      "--suffix": "suffix",
      "-e --rsh --rsync-path": "command",
      "--delete": { is: "flag", risk: "dangerous", because: "deletes files" },
    },
    copies: true,
    starts: ["rsync", "ssh"],
  },
  ssh: {
    ...remote("runs commands on other machines, and here with ProxyCommand"),
    options: { "-o": PROXY },
  },
  "sftp scp": {
    ...remote("moves files to other machines"),
    options: { "-o": PROXY, "-S -D": "command" },
  },
  "nc ncat socat": remote("opens connections for other programs"),
  telnet: remote("opens connections"),
  docker: {
    ...CONTAINERS,
    before: {
      "-c --context --config -H --host -l --log-level": "text",
      "-D --debug --tls --tlsverify": "flag",
    },
  },
  "podman nerdctl": CONTAINERS,
  kubectl: {
    ...remote("runs programs on other machines"),
    before: {
      "-n --namespace --context --cluster --kubeconfig --user -s --server": "text",
      "--insecure-skip-tls-verify": "flag",
    },
  },
};
