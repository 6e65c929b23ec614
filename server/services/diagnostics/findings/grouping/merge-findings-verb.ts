import { auditNote } from "@/server/platform/audit";
import { notFound, notFoundAmong, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { readFinding } from "../get-finding";
import { lockFindingRows } from "../review/change-findings";
import { changedRegroupedReply, mergeFindingsInput, regroupedReply } from "../schemas";
import { mergeFindings } from "./merge-findings";
import { lockRulesOf } from "./undo-grouping";

export const mergeFindingsByHand = verb(
  {
    name: "findings.merge",
    summary: "Merge other Findings of the same Rule into this one.",
    description:
      "Their causes and occurrences move here, and later occurrences follow. Review, resolution, assignee and severity stay as they are here. The others remain readable by id, with `mergedIntoId`, and undoing the change restores them.",
    effect: "write",
    capability: "diagnostics:write",
    input: mergeFindingsInput,
    reply: regroupedReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedRegroupedReply },
  },
  async (ctx, { findingId, findingIds }) => {
    const from = [...new Set(findingIds)].sort();
    if (from.includes(findingId)) throw unprocessable("/findingIds", "A Finding cannot be merged into itself.");
    await lockRulesOf(ctx, [findingId, ...from]);
    const rows = await lockFindingRows(ctx, [findingId, ...from]);
    const into = rows.find(({ id }) => id === findingId);
    if (!into) throw notFound("Finding");
    if (rows.length < from.length + 1)
      throw notFoundAmong("A Finding", "/findingIds", findingIds, new Set(rows.map(({ id }) => id)));
    if (rows.some(({ ruleId }) => ruleId !== into.ruleId)) {
      throw unprocessable("/findingIds", "Only Findings of the same Rule can be merged.");
    }
    const id = newId("fch");
    auditNote(ctx, { target: { type: "finding", id: findingId }, after: { findingIds: from } });
    await mergeFindings(ctx, { into: findingId, from, origin: null, changeId: id });
    const finding = await readFinding(ctx, findingId);
    return { finding, change: { id, count: from.length, findingIds: [findingId, ...from] } };
  },
);
