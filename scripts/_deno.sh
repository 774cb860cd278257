# Sourced by scripts/start and scripts/test: runs a task with the one Deno this repository is made for.

# Before Deno starts, not in a task: `deno task` itself loads what the import map names, and behind a proxy
# with a certificate authority of its own that takes the system's certificates.
export DENO_TLS_CA_STORE=mozilla,system DENO_NO_UPDATE_CHECK=1 DENO_NO_PROMPT=1

deno_version=2.7.11

run_task() {
  case "$(deno --version 2>/dev/null || true)" in
    "deno $deno_version "*) exec deno task "$@" ;;
  esac
  if command -v npx >/dev/null 2>&1; then
    exec npx -y "deno@$deno_version" task "$@"
  fi
  echo "Neither Deno $deno_version nor npx (of Node) is on the PATH: install one of them." >&2
  exit 127
}
