import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { steersPrograms } from "../../../../src/core/steering_variables.ts";
import { baseEnvironment, withRequested } from "../../../../src/host/run/environment.ts";

Deno.test("the environment starts empty: what the policy passes and sets, no more", () => {
  const names: Readonly<Record<string, string>> = {
    PATH: "/usr/bin",
    HOME: "/h",
    AWS_SECRET_ACCESS_KEY: "sentinel",
    LD_PRELOAD: "evil.so",
  };
  for (const [name, value] of Object.entries(names)) Deno.env.set(`TG_TEST_${name}`, value);
  try {
    assertEquals(baseEnvironment({ pass: ["TG_TEST_PATH", "TG_TEST_NONE"], set: { A: "1" } }), {
      GIT_CONFIG_GLOBAL: "/dev/null",
      TG_TEST_PATH: "/usr/bin",
      A: "1",
    });
    assertEquals(baseEnvironment({ pass: [], set: { GIT_CONFIG_GLOBAL: "/h/.gitconfig" } }), {
      GIT_CONFIG_GLOBAL: "/h/.gitconfig",
    });
  } finally {
    for (const name of Object.keys(names)) Deno.env.delete(`TG_TEST_${name}`);
  }
});

Deno.test("variables that make a runtime run a module of the caller's are never there", () => {
  const set = { DENO_INTERNAL_CHILD_ENTRYPOINT: "x", NODE_CHANNEL_FD: "3", FINE: "1" };
  assertEquals(baseEnvironment({ pass: ["NODE_CHANNEL_FD"], set }), {
    GIT_CONFIG_GLOBAL: "/dev/null",
    FINE: "1",
  });
});

Deno.test("a call may add variables, but none that steers programs or is the policy's", () => {
  const base = { PATH: "/usr/bin", LANG: "C" };
  assertEquals(withRequested(base, { FOO: "1", LANG: "C" }), { ...base, FOO: "1" });
  const denied = [
    "PATH",
    "path",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "BASH_FUNC_ls",
    "IFS",
    "PS4",
    "GIT_DIR",
    "GIT_SSH_COMMAND",
    "NODE_OPTIONS",
    "NODE_CHANNEL_FD",
    "DENO_DIR",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PERL5OPT",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "npm_config_script_shell",
    "EDITOR",
    "PAGER",
    "LESSOPEN",
    "HOME",
    "TMPDIR",
    "LANG",
    "RUSTC_WRAPPER",
    "GOFLAGS",
    "MAKEFLAGS",
    "GCONV_PATH",
    "TOOLGATE_POLICY",
  ];
  for (const name of denied) {
    const error = assertThrows(() => withRequested(base, { [name]: "other" }), ToolError);
    assertEquals(error.code, "COMMAND_DENIED", name);
  }
  for (const [name, value] of [["A=B", ""], ["", ""], ["1A", ""], ["A", "x\0y"], ["A()", ""]]) {
    const error = assertThrows(() => withRequested(base, { [name ?? ""]: value ?? "" }), ToolError);
    assertEquals(error.code, "INVALID_ARGUMENTS", name);
  }
});

Deno.test("steersPrograms leaves plain names alone", () => {
  for (const name of ["DEBUG", "CI", "FORCE_COLOR", "LC_ALL", "TZ", "PORT", "MY_LD_FLAG"]) {
    assertEquals(steersPrograms(name), false, name);
  }
});
