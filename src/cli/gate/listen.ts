/** `serve --listen`: the engine of `serve` for many callers at once, over a socket. */

import { EXIT } from "../../core/errors.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import { ProgramSharing } from "../../engine/programs/program_sharing.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { createDescendantProbe } from "../../engine/programs/own_descendant.ts";
import { listenAt, type ListeningPlace, PlaceRefused } from "../../host/sockets/listening_place.ts";
import { hasEnded, type Peer } from "../../host/sockets/unix_socket.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { type Caller, callerOf, hears } from "../../serve/gate/caller.ts";
import { openSpeech } from "../../serve/gate/speech.ts";
import { TokenEngines } from "../../serve/gate/token_engines.ts";
import { TOKEN_OVER, Tokens } from "../../serve/gate/tokens.ts";
import { FairPlaces } from "../../serve/gate/fair_runner.ts";
import { Gate } from "../../serve/gate/gate.ts";
import { OneByOne } from "../../engine/worktrees/one_by_one.ts";
import { AgentPlaces } from "../agent_places.ts";
import { ChildPlaces } from "./child_places.ts";
import { descriptorsOf } from "./descriptors.ts";
import { type GateKernel, heard, openGateKernel } from "./kernel.ts";
import { openChildren } from "./open_children.ts";
import type { Children } from "../../serve/gate/children/children.ts";
import { openAgentSession } from "../agent_session.ts";
import { circumstancesOf, warningsOf } from "../circumstances.ts";
import type { Invocation } from "../invocation.ts";
import { openStayingEngine, type Session } from "../session.ts";
import { complain } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** Connections at most, where the limit on open files lets so many be. */
const MOST_CONNECTIONS = 4096;
/** How long the threads of a token's bearer wait for the next who comes with it. */
const KEPT_MS = 10 * 60_000;

/** Serves until SIGTERM, SIGINT or `gate stop`, whatever standard input does. */
export async function serveGate(invocation: Invocation, place: string): Promise<number> {
  const path = socketPath(place);
  const { session, release } = await openAgentSession(invocation);
  const { libc, spawner } = openKernel();
  if (!session.quiet) {
    for (const warning of warningsOf(circumstancesOf(session.workspace, libc))) {
      complain(`toolgate: ${warning}`);
    }
  }
  const sharing = new ProgramSharing();
  const engine = await openStayingEngine(session, invocation, { sharing });
  const own = libc.call(libc.numbers.geteuid);
  const hearsOthers = engine.rulebook.settings.callers?.some(({ uid }) => uid !== own) ?? false;
  // Who finds it listening may end it at once.
  let isEnding = false;
  let stop = () => {
    isEnding = true;
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) Deno.addSignalListener(signal, () => stop());
  const listening = listen(libc, path, hearsOthers);
  engine.warm();
  if (!session.quiet) complain(`toolgate: listening on ${path}`);
  try {
    const openApart = (apart: Session) =>
      openStayingEngine(apart, invocation, { sharing, recorder: engine.recorder });
    const { version } = invocation.embedded;
    const opened = openGate(
      { libc, spawner },
      { session, engine, listening, version, openApart, sealed: invocation.embedded.sealed },
    );
    stop = opened.stop;
    if (isEnding) stop();
    const running = opened.gate.run();
    for (const told of await opened.sweep()) if (!session.quiet) complain(`toolgate: ${told}`);
    await running;
    await opened.close();
  } finally {
    listening.remove();
  }
  await engine.runner.close();
  release();
  return EXIT.success;
}

function openGate(
  { libc, spawner }: GateKernel,
  { session, engine, listening, version, openApart, sealed }: {
    readonly session: Session;
    readonly engine: StayingEngine;
    readonly listening: ListeningPlace;
    readonly version: string;
    /** An engine beside the first, by other policies or in another folder. */
    readonly openApart: (session: Session) => Promise<StayingEngine>;
    readonly sealed: boolean;
  },
): OpenedGate {
  const { settings } = engine.rulebook;
  const uid = libc.call(libc.numbers.geteuid);
  const isOwnProgram = createDescendantProbe(libc);
  const rules = {
    uid,
    callers: settings.callers,
    agent: session.agent.pinned ? session.agent.name : null,
  };
  const admit = (peer: Peer): Caller | { readonly refused: string } =>
    callerOf({
      uid: peer.uid,
      // Who is not heard in any case needs no look at his processes.
      ownProgram: hears(peer.uid, rules) && isOwn(libc, peer, uid, isOwnProgram),
    }, rules);
  const places = new FairPlaces(settings.limits.concurrency);
  const all = Math.min(MOST_CONNECTIONS, Math.floor(descriptorsOf(libc) / 2));
  const runners = new Set([engine.runner]);
  const open = async (apart: Session) => {
    const opened = heard(await openApart(apart), runners);
    gate.lookAgain();
    return opened;
  };
  const openEngine = (further: readonly PlacedPolicy[]) =>
    open({ ...session, policies: [...session.policies, ...further] });
  const tokenPlace = {
    workspace: session.workspace,
    budgets: engine.budgets,
    hears: (user: number) => hears(user, rules),
    now: Date.now,
  };
  const tokens = new Tokens(tokenPlace);
  const changes = new OneByOne();
  const childPlaces = new ChildPlaces(libc, session, engine, open, changes);
  const agentPlaces = new AgentPlaces({ libc, session, engine, sealed, open, changes });
  const children: Children = openChildren(libc, {
    engine,
    childPlaces,
    tokenPlace,
    places,
    follow: (token, end) => tokens.follow(token, { kind: "child", end: () => end(TOKEN_OVER) }),
    uid,
    version,
    adopt: (own, open) =>
      gate.adopt(own, { uid, agent: null, operator: false, onlyWithToken: null }, open),
  });
  const stop = () => {
    listening.remove();
    // The last of them goes when all else has been still for long.
    void children.close().finally(() => gate.lookAgain());
    void childPlaces.close();
    gate.stop(settings.killGraceMs);
  };
  const tokenEngines = new TokenEngines(({ policies }) => openEngine(policies), {
    follow: (token, end) => tokens.follow(token, { kind: "engine", end }),
    ms: KEPT_MS,
  });
  const tokenFolders = new TokenEngines(({ agent, policies }) =>
    agentPlaces.handedOn(agent, policies)
  );
  const gate: Gate = new Gate({
    libc,
    spawner,
    listener: listening.descriptor,
    requestBytes: settings.limits.request,
    most: { all, user: settings.callers === null ? all : Math.ceil(all * 3 / 4) },
    admit,
    open: (caller, outbox, opening) =>
      openSpeech(caller, outbox, opening, {
        engine,
        places,
        tokens,
        tokenEngines,
        children,
        registration: session.registration,
        status: (good) => ({ pid: Deno.pid, connections: gate.report(), tokens: good }),
        stop,
        version,
        workspace: session.workspace,
        openEngine,
        useApart: (agent, token) =>
          token === null || !agentPlaces.has(agent)
            ? agentPlaces.use(agent)
            : tokenFolders.use(token),
      }),
    runners: () => runners,
    busy: () => children.living > 0,
  });
  const sweep = async () => settings.children === null ? [] : await childPlaces.sweep();
  return { gate, stop, sweep, close: () => tokenEngines.close() };
}

/** A gate, how it is ended, and what is done about what an earlier one has left. */
interface OpenedGate {
  readonly gate: Gate;
  readonly stop: () => void;
  readonly sweep: () => Promise<readonly string[]>;
  /** Lets go of what was kept for callers, once there are none. */
  readonly close: () => Promise<void>;
}

/** Programs run as this user, or, where it is root, as anybody: nobody else's processes need a look. */
function isOwn(
  libc: Libc,
  { uid, pid, pidfd }: Peer,
  own: number,
  isOwnProgram: (pid: number) => boolean,
): boolean {
  // One that is not seen from here is in no namespace below this one, and so is none of them.
  if (pid === 0 || (uid !== own && own !== 0)) return false;
  // What was looked at is who connected only where that one is still there.
  return isOwnProgram(pid) || (pidfd !== null && hasEnded(libc, pidfd));
}

function listen(libc: Libc, path: string, shared: boolean): ListeningPlace {
  try {
    return listenAt(libc, path, { shared });
  } catch (error) {
    if (error instanceof PlaceRefused) throw new UsageError(error.message);
    throw error;
  }
}

function openKernel(): GateKernel {
  const kernel = openGateKernel();
  if (kernel !== null) return kernel;
  throw new UsageError("--listen needs Linux with glibc: callers are told apart by its kernel");
}

/** The path of `unix:PATH`, absolute. */
export function socketPath(place: string): string {
  const path = /^unix:(.+)$/.exec(place)?.[1];
  if (path === undefined) throw new UsageError(`--listen takes unix:PATH, not ${place}`);
  return path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
}
