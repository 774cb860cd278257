import { assert } from "@std/assert";
import { DEVICES, SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { isWithin } from "../../../src/sandbox/within.ts";

Deno.test("the built-in system list opens no place of secrets, sockets or processes", () => {
  const closed = [
    "/",
    "/proc",
    "/proc/self/mem",
    "/proc/1/environ",
    "/proc/thread-self",
    "/proc/kcore",
    "/dev",
    "/dev/shm",
    "/dev/mem",
    "/dev/tty",
    "/etc",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssl/private/key.pem",
    "/etc/toolgate/policy.yaml",
    "/etc/kubernetes/admin.conf",
    "/home",
    "/root",
    "/tmp",
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/opt",
    "/srv",
    "/mnt",
    "/sys/kernel",
    "/sys/firmware",
  ];
  const open = [...SYSTEM_PATHS, ...DEVICES.map(({ path }) => path)];
  for (const path of closed) {
    assert(!open.some((folder) => isWithin(folder, path)), path);
  }
});
