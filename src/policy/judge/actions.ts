/** The judges of programs and connections: the larger part of the policy's code, which most calls never need. */

export { compileCommandRules } from "../match/command_rules.ts";
export { judgeOpened, judgeOwn, judgeSpawn, risksFor } from "./_command.ts";
export { compileSecrets, deniedLoopbackOf, judgeConnection, networkOf } from "./_network.ts";
export { compileChildNetwork, compileNetworkRules } from "../match/network_rules.ts";
export { compileKnowledge } from "./_program_rules.ts";
export { reachOf } from "./_reach.ts";
export { assessCommand } from "../../programs/risk.ts";
export { limitsOf } from "./_limits.ts";
export { judgedEffects } from "./_runs.ts";
