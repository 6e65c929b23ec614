import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { trackerConnections } from "@/server/services/connections";
import { readFinding } from "../findings/get-finding";
import { requireFinding } from "../findings/merged-with";
import { changeFindings } from "../findings/review/change-findings";
import { changedFindingReply, findingReply } from "../schemas";
import { beginHandOff } from "./hand-off";
import { linkedItem } from "./rows";
import { repairHandoffInput } from "./schemas";

export const repairHandoff = verb(
  {
    name: "findings.repairHandoff",
    summary: "Create a ticket for a Finding in the project's tracker, and confirm the Finding.",
    description:
      "Deprecated: use `work-items`. Uses the tracker of the oldest connection with a default destination; without one, 501. A Finding with a ticket keeps it. The ticket is the Finding's `repairHandoffRef`.",
    effect: "write",
    capability: "diagnostics:write",
    input: repairHandoffInput,
    reply: findingReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedFindingReply },
  },
  {
    before: async (ctx, { findingId }) => {
      await requireFinding(ctx, findingId);
      if ((await linkedItem(ctx, findingId)) === undefined)
        await beginHandOff(ctx, { findingId, ...(await gateway(ctx)) });
    },
    run: async (ctx, { findingId }) => {
      await changeFindings(ctx, [findingId], { reviewStatus: "confirmed" }, newId("fch"));
      auditNote(ctx, { target: { type: "finding", id: findingId } });
      return { finding: await readFinding(ctx, findingId) };
    },
  },
);

async function gateway(ctx: Ctx) {
  const first = (await trackerConnections(ctx)).find(({ settings }) => settings.defaultDestination !== null);
  if (first) return { provider: first.kind, connectionId: first.id };
  throw new ServiceError(
    "not_implemented",
    "A repair handoff needs a connection to an issue tracker with a default destination. Create one under Integrations (kinds github, gitlab, linear and jira).",
  );
}
