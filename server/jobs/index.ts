import "server-only";

export { assertEngineConfiguration, inngestServer } from "./configuration";
export { startEngine } from "./engine";
export { failedRuns } from "./failed-runs";
export { startForwarder } from "./forwarder";
export { operatorReplay } from "./operator-replay";
export { FUNCTIONS_PATH, registerFunctions } from "./register";
