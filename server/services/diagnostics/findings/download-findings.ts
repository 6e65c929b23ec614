import { type CsvColumns, LIST_MEDIA_TYPES, listFile, timeCell } from "@/server/platform/list-file";
import { streamVerb } from "@/server/platform/stream-verb";
import type { Finding } from "../schemas";
import { listFindings } from "./list-findings";
import { downloadFindingsInput } from "./schemas";

const COLUMNS: CsvColumns<Finding> = {
  id: (one) => one.id,
  title: (one) => one.title,
  summary: (one) => one.summary,
  severity: (one) => one.severity,
  reviewStatus: (one) => one.reviewStatus,
  resolutionStatus: (one) => one.resolutionStatus,
  trend: (one) => one.trend,
  ruleId: (one) => one.ruleId,
  signal: (one) => one.signal,
  diagnosticScore: (one) => one.diagnosticScore,
  confidence: (one) => one.diagnosticScoreParts.confidence,
  confidenceBasis: (one) => one.confidenceBasis.basis,
  occurrenceCount: (one) => one.occurrenceCount,
  userCount: (one) => one.userCount,
  recentAffected: (one) => one.recentShare.affected,
  recentConversations: (one) => one.recentShare.conversations,
  affectedCostUsd: (one) => one.affectedCost,
  costComplete: (one) => one.costComplete,
  assignee: (one) => one.assigneeName,
  firstDetectedAt: (one) => timeCell(one.firstDetectedAt),
  lastDetectedAt: (one) => timeCell(one.lastDetectedAt),
  resolvedAt: (one) => timeCell(one.resolvedAt),
  dismissalReason: (one) => one.dismissalReason,
  repairHandoffRef: (one) => one.repairHandoffRef,
};

export const downloadFindings = streamVerb(
  {
    name: "findings.download",
    summary: "Download the list of Findings as CSV or JSON Lines.",
    description:
      "All Findings that match the filters, which are the same as for the list, as is the order. A line of `jsonl` is a Finding as the list has it. In `csv`, times are ISO 8601, costs are US dollars, and unknown values are empty.",
    capability: "diagnostics:read",
    effect: "read",
    input: downloadFindingsInput,
    produces: LIST_MEDIA_TYPES,
  },
  async (ctx, { format, ...filters }, { signal }) =>
    listFile({
      name: "findings",
      format,
      columns: COLUMNS,
      signal,
      read: async (page) => {
        const { findings, pagination } = await listFindings(ctx, { ...filters, ...page });
        return { items: findings, nextCursor: pagination.nextCursor };
      },
    }),
);
