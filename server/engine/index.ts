import "server-only";

export { assertEngineConfiguration, inngestServer } from "./configuration";
export { DRAIN_COMMAND, drain } from "./drain";
export { type Engine, startEngine } from "./engine";
export { FUNCTIONS_PATH } from "./functions/register";
export { startInngestEngine } from "./inngest-engine";
export { failedRuns } from "./replay/failed-runs";
export { operatorReplay } from "./replay/operator-replay";
