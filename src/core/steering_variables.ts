/** Environment variables that make harmless programs load code, run others, or read and write elsewhere. */

import { once } from "./once.ts";

/** What hosts use to reach into a JavaScript runtime that they start: a module of the caller's would run. */
const NEVER: ReadonlySet<string> = new Set([
  "DENO_INTERNAL_CHILD_ENTRYPOINT",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

/**
 * By the first part of the name, with its underscore: loaders (ld.so(8)), shells (bash(1), CVE-2014-6271), interpreters,
 * git(1), build tools, package managers, pagers, editors, compilers, and programs that take their options from the
 * environment.
 */
const STEERING_PREFIXES = [
  ...["LD_", "DYLD_", "GLIBC_", "MALLOC_", "GCONV_", "BASH_", "GIT_", "SSH_", "GNUPG_", "GPG_"],
  ...["SUDO_", "NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "COREPACK_", "PYTHON_", "PIP_"],
  ...[
    "UV_",
    "POETRY_",
    "PDM_",
    "VIRTUALENV_",
    "PYTEST_",
    "PERL_",
    "RUBY_",
    "GEM_",
    "BUNDLE_",
    "PHP_",
  ],
  ...["LUA_", "JAVA_", "_JAVA_", "JDK_", "MAVEN_", "GRADLE_", "SBT_", "CARGO_", "RUST_", "RUSTC_"],
  ...[
    "RUSTUP_",
    "CGO_",
    "GO_",
    "MAKE_",
    "EMACS_",
    "VIM_",
    "SSL_",
    "KUBE_",
    "AWK_",
    "WGET_",
    "LESS_",
  ],
  ...["CMAKE_", "NINJA_", "CCACHE_", "DOTNET_", "CORECLR_", "BAT_"],
  ...["DELTA_", "RIPGREP_", "FZF_", "FD_", "XDG_", "TOOLGATE_", "TAR_", "RSYNC_", "CURL_"],
  ...["OPENSSL_", "MYSQL_", "DOCKER_", "AWS_", "SYSTEMD_", "DBUS_"],
  ...["NVIM_", "GDK_", "GTK_", "QT_", "ASAN_", "LSAN_", "TSAN_"],
  ...["UBSAN_", "GCOV_", "LLVM_", "ELECTRON_", "PUPPETEER_", "PLAYWRIGHT_", "ESLINT_", "JEST_"],
] as const;

/** Programs that name theirs without an underscore behind the first part. */
const STEERING_FAMILIES: Readonly<Record<string, string>> = {
  // python(1) and PYTHON* of its documentation, but those of PLAIN
  PYTHON:
    "PATH HOME STARTUP INSPECT USERBASE EXECUTABLE WARNINGS BREAKPOINT PYCACHEPREFIX PLATLIBDIR CASEOK OPTIMIZE " +
    "DEBUG VERBOSE NOUSERSITE SAFEPATH MALLOC TRACEMALLOC PROFILEIMPORTTIME ASYNCIODEBUG FAULTHANDLER DEVMODE " +
    "COERCECLOCALE LEGACYWINDOWSFSENCODING LEGACYWINDOWSSTDIO DUMPREFS DUMPREFSFILE THREADDEBUG INTMAXSTRDIGITS " +
    "PERFSUPPORT NODEBUGRANGES DONTWRITEENV STARTUPFILE DOCS",
  // perlrun(1), ruby(1), php(1)
  PERL: "5LIB LIB 5OPT 5DB 5SHELL IO IO_DEBUG MAGIC 5DB_THREADED",
  RUBY: "OPT LIB LIB_PREFIX PATH SHELL GEMS",
  PHP: "RC",
  // go help environment, and package runtime
  GO:
    "FLAGS PATH ROOT BIN PROXY CACHE ENV TOOLDIR TOOLCHAIN DEBUG EXPERIMENT WORK MODCACHE NOPROXY NOSUMDB INSECURE " +
    "SUMDB PRIVATE VCS TMPDIR AUTH COVERDIR CACHEPROG TELEMETRY TELEMETRYDIR 111MODULE MOD GCCFLAGS EXE LANGUAGE",
  // make(1): what it hands to itself, and what its built-in rules start
  MAKE: "FLAGS FILES LEVEL SHELL OVERRIDES INFO CMDGOALS RESTARTS",
  GNUMAKE: "FLAGS",
  // less(1)
  LESS:
    "OPEN CLOSE KEY KEYIN KEYIN_SYSTEM KEY_SYSTEM KEY_CONTENT ECHO EDIT SECURE METACHARS METAESCAPE HISTFILE GLOBALTAGS",
  // The client library of PostgreSQL (libpq, Environment Variables)
  PG:
    "HOST HOSTADDR PORT DATABASE USER PASSWORD PASSFILE SERVICE SERVICEFILE OPTIONS APPNAME SSLMODE SSLCERT SSLKEY " +
    "SSLROOTCERT SSLCRL SSLCRLDIR SSLSNI REQUIREPEER REQUIRESSL GSSENCMODE KRBSRVNAME GSSLIB SYSCONFDIR LOCALEDIR " +
    "CHANNELBINDING DATA CONNECT_TIMEOUT TARGETSESSIONATTRS",
  KRB5: "_CONFIG CCNAME _KTNAME _TRACE RCACHENAME RCACHETYPE RCACHEDIR _CLIENT_KTNAME",
  SSL: "KEYLOGFILE CERTFILE",
  KUBE: "CONFIG _EDITOR",
  VIM: "INIT RUNTIME",
  EMACS: "LOADPATH DATA DOC",
  AWK: "PATH LIBPATH",
  WGET: "RC",
  RUSTC: "WRAPPER",
  RUST: "FLAGS DOCFLAGS C",
  ZDOT: "DIR",
};

/** Put together when the first name is asked about: all starts would wait for it most of a millisecond, and few ask. */
const steeringNames = once((): ReadonlySet<string> =>
  new Set([
    ...Object.entries(STEERING_FAMILIES).flatMap(([first, rest]) =>
      rest.split(" ").map((one) => first + one)
    ),
    ...["PATH", "HOME", "SHELL", "ENV", "SHELLOPTS", "BASHOPTS", "IFS", "PS4", "CDPATH"],
    ...[
      "GLOBIGNORE",
      "FPATH",
      "LESS",
      "MAGIC",
      "CARGO",
      "RUSTC",
      "RUSTDOC",
      "RUSTFMT",
      "PYTHON",
      "RUBY",
      "PHP",
      "AWK",
      "EMACS",
      "WGET",
      "VIM",
      "PERL",
      "MAKE",
    ],
    ...["PROMPT_COMMAND", "POSIXLY_CORRECT", "EDITOR", "VISUAL", "FCEDIT", "PAGER", "MANPAGER"],
    ...["BROWSER", "LOCPATH", "NLSPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "TERMINFO"],
    ...[
      "TERMCAP",
      "TMPDIR",
      "TMP",
      "TEMP",
      "CLASSPATH",
      "CC",
      "CXX",
      "CPP",
      "LD",
      "AR",
      "AS",
      "NM",
    ],
    ...["ZIPOPT", "UNZIP", "GZIP", "BZIP2", "XZ_OPT", "XZ_DEFAULTS", "ZSTD_CLEVEL", "HISTFILE"],
  ])
);

/**
 * By the last letters: a name that says where something lies, what is to be started, or with which options.
 * Few programs are known well enough to let these through unseen.
 */
const STEERING_ENDING =
  /(?:PATH|PAGER|EDITOR|SHELL|BROWSER|ASKPASS|_?RC|OPTS?|OPTIONS|FLAGS|ARGS|CONFIG|CONF|COMMAND|CMD|WRAPPER|PRELOAD|PLUGINS?|HOOKS?|INIT|STARTUP|PROGRAM|EXEC|PROXY|HOME|DIR|ROOT|LIB|LIBS|LIBRARY|FILE|OPEN|CLOSE|SCRIPT|MODULES?)$/;

/** Names that begin like those above and only say how to speak, or how much. */
const PLAIN: ReadonlySet<string> = new Set([
  ...["NODE_ENV", "NODE_NO_WARNINGS", "NODE_DISABLE_COLORS", "PYTHONUNBUFFERED", "PYTHONHASHSEED"],
  ...["PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "RUST_BACKTRACE", "RUST_LOG"],
  ...["GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"],
  ...["GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"],
  ...["GOOS", "GOARCH", "GOMAXPROCS", "CARGO_TERM_COLOR", "PIP_NO_INPUT", "CI"],
]);

/** What sanitizers take that is a number (ASAN_OPTIONS and its like): nothing of it names a file or a program. */
const SANITIZING =
  /^(?:(?:detect_leaks|halt_on_error|abort_on_error|print_stacktrace|detect_stack_use_after_return)=[01](?::|$)|(?:exitcode|verbosity)=\d{1,3}(?::|$))*$/;

/** Programs that show what they are given, or do nothing. */
const IDLE = /^(?:true|:|cat|false)$/;

/**
 * Values with which a variable that steers programs has them do less, or build otherwise, and run nothing else: editors and
 * pagers that are none (git(1), GIT_EDITOR), options of `go help build` that name no program and no file, numbers for
 * cargo and its tests (The Cargo Book, Environment Variables; `rustc --help`, tests), a folder beneath for what it
 * builds, whose code it runs as it does the project's own, and what sanitizers look for.
 */
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"].map((name) => [name, IDLE] as const),
  ...["PAGER", "GIT_PAGER", "MANPAGER"].map((name) => [name, IDLE] as const),
  ["CGO_ENABLED", /^[01]?$/],
  ["GO111MODULE", /^(?:on|off|auto)?$/],
  ...["CARGO_BUILD_JOBS", "RUST_TEST_THREADS", "RUST_MIN_STACK"].map((name) =>
    [name, /^\d+$/] as const
  ),
  ["CARGO_INCREMENTAL", /^[01]$/],
  ...["ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"].map((name) =>
    [name, SANITIZING] as const
  ),
  ["CARGO_NET_OFFLINE", /^(?:true|false)$/],
  // No part of it begins with a dot: neither `..` nor what is hidden.
  ["CARGO_TARGET_DIR", /^\w[\w.-]*(?:\/\w[\w.-]*)*\/?$/],
  [
    "GOFLAGS",
    /^(?:(?:-mod=(?:mod|vendor|readonly)|-v|-race|-trimpath|-count=\d+|-p=\d+|-tags=[\w,]+)(?: |$))*$/,
  ],
]);

/** Whether a variable steers no program as long as it has this value. */
export function isHarmlessValue(name: string, value: string): boolean {
  return HARMLESS_VALUES.get(name)?.test(value) === true;
}

/** What a shell itself goes by, exported or not (POSIX, 2.5.3; bash(1), Shell Variables). */
const SHELL_VARIABLE =
  /^(?:BASH.*|PATH|HOME|IFS|ENV|SHELLOPTS|PS4|PROMPT_COMMAND|GLOBIGNORE|CDPATH|FIGNORE|POSIXLY_CORRECT)$/;

/** What no policy hands to a call: where programs are found and loaded from, and how shells read. */
const FORBIDDEN =
  /^(?:LD_.*|DYLD_.*|GLIBC_.*|BASH_.*|PATH|HOME|IFS|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|GLOBIGNORE|CDPATH)$/;

/** Whether a variable never comes to a program, whatever a policy says. */
export function isNeverPassed(name: string): boolean {
  return NEVER.has(name.toUpperCase());
}

/** Whether a variable can make a program do something else than its arguments say. */
export function steersPrograms(name: string): boolean {
  const upper = name.toUpperCase();
  if (PLAIN.has(upper)) return false;
  return NEVER.has(upper) || steeringNames().has(upper) || STEERING_ENDING.test(upper) ||
    STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** Whether setting it would change how a line is read or run, though no program gets it. */
export function steersLines(name: string): boolean {
  return SHELL_VARIABLE.test(name);
}

/** Whether no call may set it, though the policy passes it on from Toolgate's own environment. */
export function isForbiddenToCalls(name: string): boolean {
  const upper = name.toUpperCase();
  return NEVER.has(upper) || FORBIDDEN.test(upper);
}
