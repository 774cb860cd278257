/** Agents that work apart, on one pipe: their engines beside that of the workspace, before the same loop. */

import type { StayingEngine } from "../engine/create_engine.ts";
import type { StayingRunner } from "../engine/runner.ts";
import { OneByOne } from "../engine/worktrees/one_by_one.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import { ApartEngines } from "../serve/apart_engines.ts";
import { noChildren, withAgents } from "../serve/gate/children/agent_runner.ts";
import { FairPlaces } from "../serve/gate/fair_runner.ts";
import { JoinedRunners } from "../serve/joined_runners.ts";
import { AgentPlaces } from "./agent_places.ts";
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

  private constructor(engines: ApartEngines, places: FairPlaces) {
    this.engines = engines;
    this.#places = places;
  }

  /** None is opened before its first call. */
  static open(
    libc: Libc,
    { session, sealed, engine, openApart, worktrees = new OneByOne() }: PipePlacesParts,
  ): PipePlaces {
    const places = new FairPlaces(engine.rulebook.settings.limits.concurrency);
    const agentPlaces = new AgentPlaces({
      libc,
      session,
      engine,
      sealed,
      open: async (other) => {
        const apart = await openApart(other);
        own.#joined?.add(apart.runner);
        const close = async () => {
          await apart.runner.close();
          own.#joined?.delete(apart.runner);
        };
        return { engine: apart, close };
      },
      changes: worktrees,
    });
    const engines = new ApartEngines(
      (agent) => agentPlaces.use(agent),
      (apart) => ({
        ...apart,
        metrics: engine.metrics,
        runner: withAgents(places.share(apart.runner, stays), noChildren),
      }),
    );
    const own = new PipePlaces(engines, places);
    return own;
  }

  /** The runner of the workspace's engine, which the loop follows together with theirs. */
  join(runner: StayingRunner): StayingRunner {
    return this.#joined = new JoinedRunners(
      this.#places.share(runner, () => runner.close()),
    );
  }
}

/** Their runners end with who gives them back. */
const stays = () => Promise.resolve();
