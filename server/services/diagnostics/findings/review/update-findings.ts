import { findings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { matchingFindings } from "../matching-findings";
import { changedFindingsReply, findingChangeReply, updateFindingsInput } from "../schemas";
import { changeFindings } from "./change-findings";

/** With more, the transaction would take longer than a request may. */
const MATCHING_MAX = 5000;

export const updateFindings = verb(
  {
    name: "findings.updateMany",
    summary: "Change several Findings: listed ones, or all that match a filter.",
    description: `Send \`findingIds\` or \`filter\`. A filter takes at most ${MATCHING_MAX.toLocaleString("en")} Findings (422 beyond). If a listed Finding is gone (deleted, or merged into another), nothing is changed: the 404 names each such id in its \`errors\`. The returned change can be undone.`,
    effect: "write",
    capability: "diagnostics:write",
    input: updateFindingsInput,
    reply: findingChangeReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedFindingsReply },
  },
  async (ctx, { findingIds, filter, set }) => {
    if ((findingIds === undefined) === (filter === undefined)) {
      throw new ServiceError("invalid", "Send either findingIds or filter.", {
        errors: [{ path: "", message: "Send either findingIds or filter." }],
      });
    }
    const ids = findingIds ?? (await idsMatching(ctx, filter!));
    const id = newId("fch");
    // A Finding that disappears in the meantime no longer matches a filter.
    const changed = await changeFindings(ctx, ids, set, id, {
      gone: findingIds ? { listedAt: "/findingIds" } : "skip",
    });
    auditNote(ctx, { target: { type: "findingChange", id }, after: { ...set, count: changed.length } });
    return { change: { id, count: changed.length, findingIds: changed } };
  },
);

async function idsMatching(
  ctx: Parameters<typeof matchingFindings>[0],
  filter: Parameters<typeof matchingFindings>[1],
) {
  const rows = await ctx.db
    .select({ id: findings.id })
    .from(findings)
    .where(matchingFindings(ctx, filter))
    .limit(MATCHING_MAX + 1);
  if (rows.length > MATCHING_MAX) {
    throw unprocessable("/filter", `More than ${MATCHING_MAX.toLocaleString("en")} Findings match: narrow the filter.`);
  }
  return rows.map(({ id }) => id);
}
