import "server-only";

export { authenticateAgent } from "./authenticate-agent";
export { leaseCommands, leaseInput } from "./lease-commands";
export { openManifest, takeAgentEvents, takeResult, takeWebhookEvents } from "./take-reports";
export { requireSignature } from "./webhook-signature";
