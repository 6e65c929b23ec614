import "server-only";

export { assertEngineConfiguration, inngestServer } from "./configuration";
export { startEngine } from "./engine";
export { startForwarder } from "./events/forwarder";
export { FUNCTIONS_PATH, registerFunctions } from "./functions/register";
export { failedRuns } from "./replay/failed-runs";
export { operatorReplay } from "./replay/operator-replay";
