import { deleteConversation } from "@/server/services/deletion";
import {
  changeLabels,
  conversationFacets,
  conversationHistogram,
  countConversations,
  createFeedback,
  findSpan,
  getCompaction,
  getConversation,
  getMasking,
  getReceipt,
  getTrace,
  listConversations,
  listFeedback,
  listLogs,
  listMessages,
  listModelCalls,
  listParkedTraces,
  listSpans,
  listToolCalls,
  locate,
  replayParkedTraces,
  telemetryStatus,
  updateCompaction,
  updateMasking,
} from "@/server/services/telemetry";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const conversationsRouter = router({
  list: query(listConversations),
  get: query(getConversation),
  messages: query(listMessages),
  modelCalls: query(listModelCalls),
  toolCalls: query(listToolCalls),
  facets: query(conversationFacets),
  histogram: query(conversationHistogram),
  count: query(countConversations),
  findSpan: query(findSpan),
  locate: query(locate),
  changeLabels: mutation(changeLabels),
  delete: mutation(deleteConversation),
});
export const tracesRouter = router({ get: query(getTrace), spans: query(listSpans), logs: query(listLogs) });
export const feedbackRouter = router({ list: query(listFeedback), create: mutation(createFeedback) });
export const maskingRouter = router({ get: query(getMasking), update: mutation(updateMasking) });
export const compactionRouter = router({ get: query(getCompaction), update: mutation(updateCompaction) });
export const receiptsRouter = router({ get: query(getReceipt) });
export const telemetryRouter = router({ status: query(telemetryStatus) });
export const parkedTracesRouter = router({ list: query(listParkedTraces), replay: mutation(replayParkedTraces) });
