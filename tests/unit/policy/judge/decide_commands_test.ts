import { ALL, type Case, check } from "./_decide_cases.ts";
import { at, commandRule, program, RUNNER, spawn } from "../_fixtures.ts";

const runs = (allow: readonly string[], ...more: readonly ReturnType<typeof commandRule>[]) => ({
  paths: [ALL],
  commands: [commandRule("allow", allow), ...more],
});
const FORCE = { risk: { allow: "dangerous", ask: "dangerous" } } as const;

check([
  {
    name: "commands: nothing named is denied",
    policies: [{ paths: [ALL] }],
    capabilities: [spawn(["ls"])],
    expect: ["deny", "COMMAND_DENIED", "commands"],
    says: ["running ls", "no command is allowed"],
  },
  {
    name: "commands: allowed",
    policies: [runs(["ls"])],
    capabilities: [spawn(["ls", "-l"])],
    expect: ["allow"],
  },
  {
    name: "commands: another program",
    policies: [runs(["ls", "cat"])],
    capabilities: [spawn(["rm", "x"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ["ls, cat"],
  },
  {
    name: "commands: what was mistyped is told beside what may run",
    policies: [runs(["git status", "grep", "ls"])],
    capabilities: [spawn(["gti", "status"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ['Did you mean "git"?'],
  },
  {
    name: "commands: another subcommand",
    policies: [runs(["git {status,log}", "ls"])],
    capabilities: [spawn(["git", "push"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ["running git push", "git {status,log}"],
  },
  ...([
    // What it may become is judged when it has: here some rule could allow it, or ask.
    [["git", "$X"], [1], ["allow"]],
    [["git", "-C", "$X"], [2], ["allow"]],
    [["npm", "$X"], [1], ["allow"]],
    // No rule could.
    [["git", "clean", "$X"], [2], ["deny", "COMMAND_DENIED"]],
    [["rm", "$X"], [1], ["deny", "COMMAND_DENIED"]],
    [["git", "push", "$X"], [2], ["deny", "COMMAND_DENIED", "commands[1]"]],
  ] as const).map(([argv, open, expect]): Case => ({
    name: `commands: words that are not known yet: ${argv.join(" ")}`,
    policies: [
      runs(
        ["git {status,log}", "git -C * status"],
        commandRule("deny", ["git push"]),
        commandRule("ask", ["npm ci"]),
      ),
    ],
    capabilities: [spawn(argv, { open })],
    expect,
  })),
  {
    name: "commands: arguments are not shown",
    policies: [runs(["ls"])],
    capabilities: [spawn(["curl", "-HAuthorization: Bearer hunter2"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ["running curl is not"],
  },
  {
    name: "commands: deny beats allow",
    policies: [runs(["git"], commandRule("deny", ["git push"], { reason: "stays here" }))],
    capabilities: [spawn(["git", "push"])],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
    says: ["(stays here)"],
  },
  {
    name: "commands: ask beats allow",
    policies: [runs(["git"], commandRule("ask", ["git push"]))],
    capabilities: [spawn(["git", "push"])],
    expect: ["ask", "APPROVAL_REQUIRED", "commands[1]"],
  },
  {
    name: "commands: ask alone grants",
    policies: [{ paths: [ALL], commands: [commandRule("ask", ["git push"])] }],
    capabilities: [spawn(["git", "push", "origin"])],
    expect: ["ask", "APPROVAL_REQUIRED"],
  },
  ...([
    ["git tag", ["allow"]],
    ["git tag -l", ["allow"]],
    ["git tag -l v1", ["ask", "APPROVAL_REQUIRED", "commands[1]"]],
    ["git tag --points-at HEAD", ["allow"]],
    ["git tag --points-at", ["ask", "APPROVAL_REQUIRED", "commands[1]"]],
    // What stands before the second word may change what it means.
    ["git -C a tag -l", ["deny", "COMMAND_DENIED"]],
    ["nice git tag -l", ["allow"]],
    ["nice git tag v1", ["ask", "APPROVAL_REQUIRED", "commands[1]"]],
  ] as const).map(([line, expect]): Case => ({
    name: `commands: what a rule leaves to others: ${line}`,
    policies: [
      runs(
        ["git tag", "nice"],
        commandRule("ask", ["git tag *"], { except: ["git tag -l", "git tag --points-at *"] }),
      ),
    ],
    capabilities: [spawn(line.split(" "))],
    expect,
  })),
  {
    name: "commands: what one rule leaves to others another still denies",
    policies: [
      runs(
        ["git tag"],
        commandRule("ask", ["git tag *"], { except: ["git tag -l"] }),
        commandRule("deny", ["git tag -l"]),
      ),
    ],
    capabilities: [spawn(["git", "tag", "-l"])],
    expect: ["deny", "COMMAND_DENIED", "commands[2]"],
  },
  {
    name: "commands: exact",
    policies: [{ paths: [ALL], commands: [commandRule("allow", ["git branch"], { exact: true })] }],
    capabilities: [spawn(["git", "branch", "x"])],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: the wildcard for any program",
    policies: [runs(["*"])],
    capabilities: [spawn(["./x"], { program: program("/w/project/x") })],
    expect: ["allow"],
  },
  {
    name: "commands: a bare name means what the search path leads to",
    policies: [runs(["ls"])],
    capabilities: [spawn(["./ls"], { program: program("/w/project/ls") })],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: a wildcard in a bare name means no path",
    policies: [runs(["*ls"])],
    capabilities: [spawn(["./ls"], { program: program("/w/project/ls") })],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: the absolute path of an allowed name",
    policies: [runs(["ls"])],
    capabilities: [spawn(["/usr/bin/ls"], { program: program("/usr/bin/ls") })],
    expect: ["allow"],
  },
  {
    name: "commands: an absolute path allowed",
    policies: [runs(["/opt/tool/run"])],
    capabilities: [spawn(["/opt/tool/run"], { program: program("/opt/tool/run") })],
    expect: ["allow"],
  },
  {
    name: "commands: a path of the workspace allowed",
    policies: [runs(["./scripts/x.sh"])],
    capabilities: [spawn(["scripts/x.sh"], { program: program("/w/project/scripts/x.sh") })],
    expect: ["allow"],
  },
  {
    name: "commands: a path of the workspace does not allow another",
    policies: [runs(["./scripts/x.sh"])],
    capabilities: [spawn(["x.sh"], { program: program("/w/project/x.sh") })],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: paths of the workspace by wildcard",
    policies: [runs(["./scripts/*"])],
    capabilities: [spawn(["scripts/x.sh"], { program: program("/w/project/scripts/x.sh") })],
    expect: ["allow"],
  },
  {
    name: "commands: a wildcard of the workspace does not reach elsewhere",
    policies: [runs(["scripts/*"])],
    capabilities: [spawn(["/scripts/x"], { program: program("/scripts/x") })],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: denied by the name of the file behind a link",
    policies: [{ ...runs(["*"], commandRule("deny", ["python3.11"])), ...FORCE }],
    capabilities: [
      spawn(["./harmless"], { program: program("/w/project/harmless", "/usr/bin/python3.11") }),
    ],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  {
    name: "commands: denied by the last name of a path",
    policies: [{ ...runs(["*"], commandRule("deny", ["sudo"])), ...FORCE }],
    capabilities: [spawn(["/opt/sudo"], { program: program("/opt/sudo") })],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  {
    name: "commands: denied by path, called by name",
    policies: [{ ...runs(["*"], commandRule("deny", ["/usr/bin/sudo"])), ...FORCE }],
    capabilities: [spawn(["sudo"])],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  ...[
    ["git", "-C", "x", "push"],
    ["git", "--no-pager", "push"],
    ["git", "--git-dir=x", "push"],
    ["git", "--git-dir", "x", "push"],
    ["git", "-c", "a=b", "-C", "x", "push", "-f"],
    ["git", "--unknown", "push"],
    ["git", "--unknown", "x", "push"],
    ["git", "--", "push"],
    ["git", "-p", "--bare", "push"],
  ].map((argv): Case => ({
    name: `commands: options do not hide the subcommand: ${argv.join(" ")}`,
    policies: [{ ...runs(["git"], commandRule("deny", ["git push"])), ...FORCE }],
    capabilities: [spawn(argv)],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  })),
  ...[
    ["npm", "--prefix", "x", "publish"],
    ["npm", "--silent", "publish"],
    ["cargo", "+nightly", "publish"],
    ["docker", "-H", "x", "publish"],
    ["other", "--flag", "publish"],
    ["other", "--flag", "value", "publish"],
  ].map((argv): Case => ({
    name: `commands: options do not hide the subcommand: ${argv.join(" ")}`,
    policies: [{ ...runs(["*"], commandRule("ask", [`${argv[0]} publish`])), ...FORCE }],
    capabilities: [spawn(argv)],
    expect: ["ask", "APPROVAL_REQUIRED", "commands[1]"],
  })),
  {
    name: "commands: the value of an option is no subcommand",
    policies: [{ ...runs(["git"], commandRule("deny", ["git push"])), ...FORCE }],
    capabilities: [spawn(["git", "-C", "push", "status"])],
    expect: ["allow"],
  },
  {
    name: "commands: options are not skipped for what allows",
    policies: [{ ...runs(["git status"]), ...FORCE }],
    capabilities: [spawn(["git", "-C", "x", "status"])],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: not found, but named",
    policies: [runs(["tool"])],
    capabilities: [spawn(["tool"], { program: null })],
    expect: ["allow"],
  },
  {
    name: "commands: not found, of the workspace, but named",
    policies: [runs(["./tool"])],
    capabilities: [
      spawn(["tool"], { program: null, cwd: at(".") }),
      spawn(["./tool"], { program: null }),
    ],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: not found and not named",
    policies: [runs(["ls"])],
    capabilities: [spawn(["tool"], { program: null })],
    expect: ["deny", "COMMAND_DENIED"],
  },
  {
    name: "commands: not found, denied by its path",
    policies: [runs(["*"], commandRule("deny", ["/x/tool"]))],
    capabilities: [spawn(["tool"], { program: null })],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },

  {
    name: "wrapped: the inner command must be allowed too",
    policies: [runs(["nice", "git status"])],
    capabilities: [spawn(["nice", "git", "push"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ["running git push"],
  },
  {
    name: "wrapped: the inner command is allowed",
    policies: [runs(["nice", "git status"])],
    capabilities: [spawn(["nice", "-n", "5", "git", "status"])],
    expect: ["allow"],
  },
  {
    name: "wrapped: the inner command is denied",
    policies: [{ ...runs(["*"], commandRule("deny", ["sudo"])), ...FORCE }],
    capabilities: [spawn(["env", "timeout", "5", "sudo", "id"])],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  {
    name: "wrapped: the inner command is denied by its path",
    policies: [{ ...runs(["*"], commandRule("deny", ["/usr/bin/sudo"])), ...FORCE }],
    capabilities: [spawn(["nice", "sudo", "id"])],
    expect: ["deny", "COMMAND_DENIED", "commands[1]"],
  },
  {
    name: "wrapped: the inner command is asked for",
    policies: [runs(["*"], commandRule("ask", ["git push"]))],
    capabilities: [spawn(["nice", "git", "-C", "x", "push"])],
    expect: ["ask", "APPROVAL_REQUIRED", "commands[1]"],
  },
  {
    name: "wrapped: find -exec",
    policies: [{ ...runs(["find", "ls"]), ...FORCE }],
    capabilities: [spawn(["find", ".", "-exec", "rm", "{}", ";"])],
    expect: ["deny", "COMMAND_DENIED"],
    says: ["running rm"],
  },
  {
    name: "wrapped: what cannot be judged does not run",
    policies: [{ ...runs(["*"]), ...FORCE }],
    capabilities: [spawn(["sh", "-c", "ls"])],
    expect: ["deny", "COMMAND_UNPARSABLE"],
  },
  {
    name: "wrapped: what cannot be judged, deep down",
    policies: [{ ...runs(["*"]), ...FORCE }],
    capabilities: [spawn(["nice", "env", "-C", "a", "ls"])],
    expect: ["deny", "COMMAND_UNPARSABLE"],
  },
  {
    name: "wrapped: a path cannot be judged",
    policies: [{ ...runs(["*"]), ...FORCE }],
    capabilities: [spawn(["nice", "./x"])],
    expect: ["deny", "COMMAND_UNPARSABLE"],
  },
  {
    name: "wrapped: not allowed comes before not judged",
    policies: [runs(["ls"])],
    capabilities: [spawn(["sh", "-c", "ls"])],
    expect: ["deny", "COMMAND_DENIED"],
  },
], RUNNER);
