import "server-only";

export {
  type CallKey,
  CallsMoved,
  changeCosts,
  lockCalls,
  type StoredCost,
  takeInStraysOf,
} from "./change-costs";
export { changeLabels } from "./change-labels";
export { conversationFacets } from "./conversation-facets";
export { idsGoingBy } from "./conversation-key";
export {
  type Deleted,
  deleteConversations,
  deleteLooseBefore,
  deleteLooseLogsNaming,
  deleteLooseTracesNaming,
  deleteReceiptsBefore,
  deleteUnusedSources,
  looseLogsNaming,
  looseTracesNaming,
} from "./delete-conversations";
export { findConversation } from "./find-conversation";
export { findSpan } from "./find-span";
export { foldDailyCosts } from "./fold-daily-costs";
export { getConversation } from "./get-conversation";
export { getReceipt } from "./get-receipt";
export { getTrace } from "./get-trace";
export { listMessages, listModelCalls, listToolCalls } from "./list-conversation-parts";
export { listConversations } from "./list-conversations";
export { listLogs, listSpans } from "./list-trace-parts";
export { getMasking, updateMasking } from "./masking-setting";
export { decodeLogs, decodeTraces, type Encoding, MalformedBody } from "./otlp";
export { listParkedTraces, replayParkedTraces } from "./parked-traces";
export { projectionHealth } from "./projection-health";
export { projectCarefully, projectPending, runProjector } from "./projector";
export { readSnapshots, type Snapshot, type SnapshotContent } from "./read-snapshots";
export { storeLogs, storeTraces, TRACE_DELETED } from "./store-batch";
export { telemetryStatus } from "./telemetry-status";
export { lockSources, stripReceipts } from "./tombstones";
