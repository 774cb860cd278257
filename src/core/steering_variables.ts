/** Environment variables that make harmless programs load code, run others, or read and write elsewhere. */

/** What hosts use to reach into a JavaScript runtime that they start: a module of the caller's would run. */
const NEVER: ReadonlySet<string> = new Set([
  "DENO_INTERNAL_CHILD_ENTRYPOINT",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

/**
 * By the first letters: loaders (ld.so(8)), shells (bash(1), CVE-2014-6271), interpreters, git(1), build tools,
 * package managers, pagers, editors, compilers, and programs that take their options from the environment.
 */
const STEERING_PREFIXES = [
  ...["LD_", "DYLD_", "GLIBC_", "MALLOC_", "GCONV_", "BASH_", "ZDOT", "FPATH", "GIT_", "SSH_"],
  ...["SUDO_", "NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "COREPACK_", "PYTHON", "PIP_"],
  ...["UV_", "POETRY_", "PDM_", "VIRTUALENV_", "PYTEST_", "PERL", "RUBY", "GEM_", "BUNDLE_", "PHP"],
  ...["LUA_", "JAVA_", "_JAVA", "JDK_", "MAVEN_", "GRADLE_", "SBT_", "CARGO", "RUST", "GO", "CGO_"],
  ...["CMAKE_", "MAKE", "GNUMAKE", "NINJA_", "CCACHE_", "DOTNET_", "CORECLR_", "LESS", "BAT_"],
  ...["DELTA_", "RIPGREP_", "FZF_", "FD_", "XDG_", "TOOLGATE_", "TAR_", "RSYNC_", "CURL_", "WGET"],
  ...["OPENSSL_", "SSL", "KRB5", "PG", "MYSQL_", "DOCKER_", "KUBE", "AWS_", "SYSTEMD_", "DBUS_"],
  ...["VIM", "NVIM_", "EMACS", "GDK_", "GTK_", "QT_", "AWK", "MAGIC", "ASAN_", "LSAN_", "TSAN_"],
  ...["UBSAN_", "GCOV_", "LLVM_", "ELECTRON_", "PUPPETEER_", "PLAYWRIGHT_", "ESLINT_", "JEST_"],
] as const;

const STEERING_NAMES: ReadonlySet<string> = new Set([
  ...[
    "PATH",
    "HOME",
    "SHELL",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "IFS",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
  ],
  ...["PROMPT_COMMAND", "POSIXLY_CORRECT", "EDITOR", "VISUAL", "FCEDIT", "PAGER", "MANPAGER"],
  ...["BROWSER", "LOCPATH", "NLSPATH", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "TERMINFO"],
  ...["TERMCAP", "TMPDIR", "TMP", "TEMP", "CLASSPATH", "CC", "CXX", "CPP", "LD", "AR", "AS", "NM"],
  ...["ZIPOPT", "UNZIP", "GZIP", "BZIP2", "XZ_OPT", "XZ_DEFAULTS", "ZSTD_CLEVEL", "HISTFILE"],
]);

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
  return NEVER.has(upper) || STEERING_NAMES.has(upper) || STEERING_ENDING.test(upper) ||
    STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

/** Whether no call may set it, though the policy passes it on from Toolgate's own environment. */
export function isForbiddenToCalls(name: string): boolean {
  const upper = name.toUpperCase();
  return NEVER.has(upper) || FORBIDDEN.test(upper);
}
