import "server-only";

export { compactContent, runningCompactions } from "./content/compact-content";
export { getCompaction, updateCompaction } from "./content/compaction";
export { CHUNKS_AT_A_TIME, deleteUnusedContent } from "./content/delete-unused-content";
export {
  type CallKey,
  CallsMoved,
  changeCosts,
  lockCalls,
  mergeDuplicateTracesOf,
  type StoredCost,
} from "./conversations/change-costs";
export { changeLabels } from "./conversations/change-labels";
export {
  type Deleted,
  deleteConversations,
  deleteReceiptsBefore,
  deleteUnassignedBefore,
  deleteUnassignedLogsMentioning,
  deleteUnassignedTracesMentioning,
  deleteUnusedSources,
  unassignedLogsMentioning,
  unassignedTracesMentioning,
} from "./conversations/delete-conversations";
export { findConversation } from "./conversations/find-conversation";
export { findSpan } from "./conversations/find-span";
export { getConversation } from "./conversations/get-conversation";
export { getTrace } from "./conversations/get-trace";
export { inPieces } from "./conversations/in-pieces";
export { findContinued } from "./conversations/joining/find-continued";
export { joinTraces } from "./conversations/joining/join-traces";
export { listMessages, listModelCalls, listToolCalls } from "./conversations/list-conversation-parts";
export { listLogs, listSpans } from "./conversations/list-trace-parts";
export { locate } from "./conversations/locate";
export { MODEL_OF_CALL } from "./conversations/model-of-call";
export { readToolDefinitions } from "./conversations/read-tool-definitions";
export { readSnapshots } from "./conversations/snapshots/read-snapshots";
export type { Snapshot, SnapshotContent } from "./conversations/snapshots/snapshot";
export { listSpanOutlines } from "./conversations/trace-outline";
export {
  type Beginning,
  readAround,
  readBeginnings,
  readWindows,
  type SnapshotLength,
  snapshotLengths,
} from "./conversations/windows/read-windows";
export type { WindowSize } from "./conversations/windows/window-layout";
export {
  attachOverlooked,
  createFeedback,
  deleteWaitingFeedback,
  listFeedback,
  type SnapshotFeedback,
  WAITING_DAYS,
} from "./feedback";
export { conversationIdsMatching } from "./ingest/conversation-key";
export { getReceipt } from "./ingest/get-receipt";
export { getMasking, updateMasking } from "./ingest/masking-setting";
export { receiveLogs, receiveTraces, refuseMetrics } from "./ingest/receive-otlp";
export { maskOwnTraces, receiveOwnTraces } from "./ingest/receive-request";
export { storeLogs, storeTraces } from "./ingest/store-batch";
export { telemetryStatus } from "./ingest/telemetry-status";
export { lockSources, stripReceipts } from "./ingest/tombstones";
export { decodeLogs, decodeTraces, type Encoding, type ToolDefinition, VERSION_ATTRIBUTES } from "./otlp";
export { resolveUsage } from "./otlp/usage/resolve-usage";
export { foldDailyCosts } from "./projection/fold-daily-costs";
export { GATEWAY_SCOPE } from "./projection/move-duplicate-traces";
export { listParkedTraces, replayParkedTraces } from "./projection/parked-traces";
export { projectionHealth } from "./projection/projection-health";
export { projectIsolatingFailures, projectPending, runProjector } from "./projection/projector";
export { forgetReadings, ReadingCache } from "./projection/reading-cache";
export { countRefusal } from "./refusals/count-refusal";
export { deleteOldRefusals } from "./refusals/delete-refusals";
export { listRefusals } from "./refusals/list-refusals";
export { conversationFacets } from "./search/conversation-facets";
export { conversationHistogram } from "./search/conversation-histogram";
export { tokensIn } from "./search/conversation-sorts";
export { countConversations, idsOfMatching } from "./search/count-conversations";
export { downloadConversations } from "./search/download-conversations";
export { type ConversationFilters, listConversations, THUMBS_DOWN_IN_FEEDBACK } from "./search/list-conversations";
export { matchesItself, valuesIn } from "./search/matches-itself";
export { traitColumns, traitTerms, traitValues } from "./search/search-terms";
export { summariseCalls } from "./search/summarise-calls";
export { summariseConversations } from "./search/summarise-conversations";
