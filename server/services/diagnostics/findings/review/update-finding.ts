import { auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { changedFindingReply, findingReply } from "../../schemas";
import { readFinding } from "../get-finding";
import { updateFindingInput } from "../schemas";
import { changeFindings } from "./change-findings";

export const updateFinding = verb(
  {
    name: "findings.update",
    summary: "Review a Finding, resolve it, pin its severity or assign it.",
    description:
      "`resolutionStatus` is set regardless of the review status. Dismissing clears the resolution, so a body that does both is rejected (400). A dismissal with `untilWorse` ends when at least 5 conversations of today and yesterday (UTC) have the Finding and the lower limit of that rate (Wilson, 95%) is at least twice its share at the dismissal. `severity` pins it and `null` returns it to the Rules.",
    effect: "write",
    capability: "diagnostics:write",
    input: updateFindingInput,
    reply: findingReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedFindingReply },
  },
  async (ctx, { findingId, ...change }) => {
    await changeFindings(ctx, [findingId], change, newId("fch"));
    auditNote(ctx, { target: { type: "finding", id: findingId }, after: change });
    return { finding: await readFinding(ctx, findingId) };
  },
);
