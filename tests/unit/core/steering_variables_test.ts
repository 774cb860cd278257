import { assert, assertEquals } from "@std/assert";
import {
  isForbiddenToCalls,
  isHarmlessValue,
  steersLines,
  steersPrograms,
} from "../../../src/core/steering_variables.ts";

Deno.test("variables that steer programs, and those that do not", () => {
  const steering = [
    ...[
      "LD_PRELOAD",
      "ld_preload",
      "BASH_ENV",
      "ENV",
      "PATH",
      "IFS",
      "HOME",
      "GIT_SSH_COMMAND",
      "GIT_DIR",
    ],
    ...["NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "PAGER"],
    ...[
      "MANPAGER",
      "EDITOR",
      "LESSOPEN",
      "RIPGREP_CONFIG_PATH",
      "GREP_OPTIONS",
      "TAR_OPTIONS",
      "ZIPOPT",
    ],
    ...[
      "RUSTC_WRAPPER",
      "CARGO_HOME",
      "GOFLAGS",
      "MAKEFLAGS",
      "npm_config_script_shell",
      "JAVA_TOOL_OPTIONS",
    ],
    ...[
      "http_proxy",
      "SSLKEYLOGFILE",
      "OPENSSL_CONF",
      "FZF_DEFAULT_COMMAND",
      "KUBECONFIG",
      "SOME_PLUGIN",
    ],
    ...[
      "PGPASSFILE",
      "PGSERVICE",
      "PGHOST",
      "LESS",
      "LESSKEYIN",
      "GOENV",
      "GOTOOLCHAIN",
      "GODEBUG",
    ],
    ...[
      "PYTHONINSPECT",
      "PYTHONBREAKPOINT",
      "PYTHONWARNINGS",
      "PERL5DB",
      "RUBYLIB",
      "PHPRC",
      "MAGIC",
    ],
    ...["MAKEFILES", "KRB5CCNAME", "VIMINIT", "AWKPATH", "WGETRC", "RUSTFLAGS", "ZDOTDIR", "FPATH"],
    ...[
      "_JAVA_OPTIONS",
      "SSL_CERT_FILE",
      "CARGO",
      "RUSTC_WRAPPER",
      "EMACSLOADPATH",
      "RUSTFMT",
      "PYTHON",
    ],
    ...["ANY_TOOL_ARGS", "X_RC", "MY_SHELL", "TMPDIR", "TOOLGATE_POLICY", "NODE_CHANNEL_FD"],
  ];
  for (const name of steering) assertEquals(steersPrograms(name), true, name);
  const plain = [
    ...[
      "FOO",
      "A",
      "DEBUG",
      "CI",
      "NODE_ENV",
      "FORCE_COLOR",
      "NO_COLOR",
      "LC_ALL",
      "LANG",
      "TZ",
      "TERM",
    ],
    ...[
      "GOOD",
      "GOAL",
      "LESSON",
      "PGID",
      "MAKER",
      "RUSTY",
      "PERLS",
      "GO",
      "PGM",
      "KUBES",
      "AWKWARD",
    ],
    ...["PYTHONUNBUFFERED", "RUST_BACKTRACE", "GIT_AUTHOR_NAME", "COLUMNS", "VERBOSE", "PORT", "i"],
  ];
  for (const name of plain) assertEquals(steersPrograms(name), false, name);
});

Deno.test("what no policy hands to a call", () => {
  for (
    const name of ["PATH", "IFS", "LD_LIBRARY_PATH", "BASH_ENV", "ENV", "NODE_CHANNEL_FD", "HOME"]
  ) {
    assertEquals(isForbiddenToCalls(name), true, name);
  }
  for (const name of ["GIT_PAGER", "PYTHONPATH", "EDITOR", "FOO"]) {
    assertEquals(isForbiddenToCalls(name), false, name);
  }
});

Deno.test("what a shell goes by itself, exported or not", () => {
  for (const name of ["PATH", "HOME", "IFS", "ENV", "CDPATH", "GLOBIGNORE", "BASH_ENV", "PS4"]) {
    assertEquals(steersLines(name), true, name);
  }
  for (const name of ["FILE", "DIR", "env", "path", "TMPDIR", "LD_PRELOAD", "CONFIG"]) {
    assertEquals(steersLines(name), false, name);
  }
});

Deno.test("values with which a variable that steers programs steers none", () => {
  const harmless: readonly (readonly [string, string])[] = [
    ["GIT_EDITOR", "true"],
    ["GIT_SEQUENCE_EDITOR", ":"],
    ["PAGER", "cat"],
    ["CGO_ENABLED", "0"],
    ["GOFLAGS", "-mod=mod -count=1 -tags=a,b"],
    ["GOFLAGS", ""],
    ["CARGO_TARGET_DIR", "out/rust-1.63"],
    ["CARGO_TARGET_DIR", "target/"],
    ["CARGO_BUILD_JOBS", "2"],
    ["CARGO_INCREMENTAL", "0"],
    ["ASAN_OPTIONS", "detect_leaks=0:halt_on_error=1"],
    ["UBSAN_OPTIONS", "print_stacktrace=1"],
    ["LSAN_OPTIONS", "exitcode=0"],
    ["CARGO_NET_OFFLINE", "true"],
    ["RUST_TEST_THREADS", "1"],
  ];
  for (const [name, value] of harmless) assert(isHarmlessValue(name, value), `${name}=${value}`);
  const steering: readonly (readonly [string, string])[] = [
    ["GIT_EDITOR", "touch pwned"],
    ["GIT_EDITOR", "./true"],
    ["GIT_EDITOR", "true;id"],
    ["GOFLAGS", "-toolexec=./x"],
    ["GOFLAGS", "-mod=mod -exec=./x"],
    ["GOFLAGS", "-mod=mod\n-toolexec=./x"],
    ["GOFLAGS", "-modfile=x"],
    ["LD_PRELOAD", "true"],
    ["CGO_ENABLED", "01"],
    ["CARGO_TARGET_DIR", "../out"],
    ["CARGO_TARGET_DIR", "out/../../x"],
    ["CARGO_TARGET_DIR", "/tmp/out"],
    ["CARGO_TARGET_DIR", ".git"],
    ["CARGO_TARGET_DIR", "out\n"],
    ["CARGO_TARGET_DIR", ""],
    ["CARGO_NET_OFFLINE", "no"],
    ["ASAN_OPTIONS", "log_path=x"],
    ["ASAN_OPTIONS", "detect_leaks=0:suppressions=x"],
    ["ASAN_OPTIONS", "detect_leaks=0\nlog_path=x"],
    ["CARGO_BUILD_RUSTC", "true"],
    ["RUST_TEST_THREADS", "1 x"],
  ];
  for (const [name, value] of steering) {
    assertEquals(isHarmlessValue(name, value), false, `${name}=${value}`);
  }
});
