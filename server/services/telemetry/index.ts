import "server-only";

export { conversationFacets } from "./conversation-facets";
export { findConversation } from "./find-conversation";
export { contentOf, getConversation } from "./get-conversation";
export { getReceipt } from "./get-receipt";
export { getTrace } from "./get-trace";
export { listConversations } from "./list-conversations";
export { decodeLogs, decodeTraces, type Encoding, MalformedBody } from "./otlp";
export { projectionLag, projectPending, runProjector } from "./projector";
export { storeLogs, storeTraces } from "./store-batch";
export { telemetryStatus } from "./telemetry-status";
