/** The door under real rules, dialling the loopback whatever it was told: what it would have dialled is on record. */

import type { Network } from "../../../../src/core/network.ts";
import { judgeConnection } from "../../../../src/engine/pool/_connections.ts";
import { connect } from "../../../../src/host/network/_connection.ts";
import type { NetworkRule } from "../../../../src/policy/model.ts";
import { READER, rulebook } from "../../policy/_fixtures.ts";
import { type DoorOptions, type OpenDoor, openDoor } from "./_wire.ts";

/** A rule that allows these hosts. */
export function allow(hosts: readonly string[], parts: Partial<NetworkRule> = {}): NetworkRule {
  return { effect: "allow", hosts, methods: null, allowPrivate: false, ...parts };
}

/** A door with what it dialled. */
export interface RuledDoor extends OpenDoor {
  readonly dialled: readonly string[];
}

/** `granted`: what somebody agreed to. */
export async function ruledDoor(
  network: readonly NetworkRule[],
  { granted = [], ...options }: DoorOptions & { readonly granted?: readonly string[] } = {},
): Promise<RuledDoor> {
  const rules = rulebook([{ network, agents: { root: { permissions: ["all"] } } }]);
  await rules.prepare([{ kind: "net.connect" }]);
  const subject = {
    ...READER,
    tool: "fetch_url",
    agent: "root",
    permission: "network_access",
  } as const;
  const dialled: string[] = [];
  const door = openDoor({
    ...options,
    allows(connection) {
      judgeConnection(rules, subject, granted, connection);
      return true;
    },
    dial(to, signal) {
      dialled.push(`${to.address}:${to.port}`);
      return connect({ ...to, address: "127.0.0.1" }, signal);
    },
  });
  const fetch: Network["fetch"] = (request) => door.fetch(request);
  return { ...door, fetch, dialled };
}
