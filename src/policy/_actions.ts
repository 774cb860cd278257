/** The judges of programs and connections: the larger part of the policy's code, which most calls never need. */

export { compileCommandRules } from "./_command_rules.ts";
export { judgeOpened, judgeSpawn } from "./_judge_command.ts";
export { judgeConnection } from "./_judge_network.ts";
export { compileNetworkRules } from "./_network_rules.ts";
export { compileKnowledge } from "./_program_rules.ts";
export { reachOf } from "./_reach.ts";
export { assessCommand } from "./command_risk.ts";
