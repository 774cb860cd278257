/** Agents that work apart, on one pipe: their engines beside that of the workspace, before the same loop. */

import { once } from "../core/once.ts";
import type { StayingEngine } from "../engine/create_engine.ts";
import type { StayingRunner } from "../engine/runner.ts";
import { OneByOne } from "../engine/worktrees/one_by_one.ts";
import { worksApart } from "../engine/worktrees/works_apart.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import { ApartEngines } from "../serve/apart_engines.ts";
import { type AgentCalls, noChildren, withAgents } from "../serve/gate/children/agent_runner.ts";
import { FairPlaces } from "../serve/gate/fair_runner.ts";
import { JoinedRunners } from "../serve/joined_runners.ts";
import type { AgentPlaces } from "./agent_places.ts";
import type { Session } from "./session.ts";

/** What it takes. */
export interface PipePlacesParts {
  readonly session: Session;
  readonly sealed: boolean;
  /** That of the workspace. */
  readonly engine: StayingEngine;
  /** An engine beside it, in another folder. */
  readonly openApart: (session: Session) => Promise<StayingEngine>;
  readonly worktrees?: OneByOne;
}

/** The agents of one pipe. */
export class PipePlaces {
  /** As who speaks has them. */
  readonly engines: ApartEngines;
  readonly #places: FairPlaces;
  #joined: JoinedRunners | null = null;
  #calls: AgentCalls = noChildren;

  private constructor(engines: ApartEngines, places: FairPlaces) {
    this.engines = engines;
    this.#places = places;
  }

  /** None is opened before its first call, and what opens them is loaded with that: no start waits for it. */
  static open(
    libc: Libc,
    { session, sealed, engine, openApart, worktrees: changes = new OneByOne() }: PipePlacesParts,
  ): PipePlaces {
    const { rulebook, metrics } = engine;
    const places = new FairPlaces(rulebook.settings.limits.concurrency);
    const open = async (other: Session) => {
      const apart = await openApart(other);
      own.#joined?.add(apart.runner);
      const close = async () => {
        await apart.runner.close();
        own.#joined?.delete(apart.runner);
      };
      return { engine: apart, close };
    };
    const agentPlaces = once(() =>
      loadAgentPlaces({ libc, session, engine, sealed, open, changes })
    );
    const use = async (agent: string) => await (await agentPlaces()).placeOf(agent);
    const engines: ApartEngines = new ApartEngines(
      (agent) => worksApart(rulebook, agent) ? use(agent) : null,
      (apart) => ({
        ...apart,
        metrics,
        runner: withAgents(
          places.share(apart.runner, stays),
          (...call) => own.#calls(...call),
        ),
      }),
    );
    const own: PipePlaces = new PipePlaces(engines, places);
    return own;
  }

  /**
   * The runner of the workspace's engine, which the loop follows together with theirs. `calls`: the child agents of whoever
   * speaks, which are those of a pipe.
   */
  join(runner: StayingRunner, calls: AgentCalls): StayingRunner {
    this.#calls = calls;
    return this.#joined = new JoinedRunners(
      this.#places.share(runner, () => runner.close()),
    );
  }
}

async function loadAgentPlaces(
  options: ConstructorParameters<typeof AgentPlaces>[0],
): Promise<AgentPlaces> {
  const { AgentPlaces } = await import("./agent_places.ts");
  return new AgentPlaces(options);
}

/** Their runners end with who gives them back. */
const stays = () => Promise.resolve();
