import "server-only";

export { assertEngineConfiguration, inngestServer } from "./configuration";
export { startEngine } from "./engine";
export { failedRuns } from "./failed-runs";
export { startForwarder } from "./forwarder";
export { FUNCTIONS_PATH, registerFunctions } from "./register";
export { replayRun } from "./replay-run";
