import { sql } from "drizzle-orm";
import { repricings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { repricingRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { currentPriceRevision, requirePricingWrites } from "@/server/services/pricing";
import { estimateCallCount } from "./daily-costs";
import { pricesVersionOf } from "./prices-version";
import { actorColumns, readRepricing } from "./read-repricings";
import { requireRange } from "./require-range";
import { createRepricingInput, repricingReply, requestedRepricingReply } from "./schemas";

export const createRepricing = verb(
  {
    name: "repricings.create",
    summary: "Compute stored costs anew with the prices of now, in the background.",
    description:
      "It goes by the prices at the moment of asking, whatever changes while it runs. With `pricesVersion` of a preview it is refused (409) when prices have changed since. One at a time in a project: another is a 409. What stored costs were before is kept, and can be restored by undoing it.",
    effect: "write",
    capability: "model-pricing:write",
    input: createRepricingInput,
    reply: repricingReply,
    unread: { unless: ["model-pricing:read"], reply: requestedRepricingReply },
  },
  async (ctx, { pricesVersion, model = null, vendor = null, modelPriceId = null, ...input }) => {
    requirePricingWrites();
    requireRange(input);
    const prices = await currentPriceRevision(ctx);
    if (pricesVersion !== undefined && pricesVersion !== pricesVersionOf(prices)) {
      throw new ServiceError("conflict", "Prices have changed since this was previewed. Look at it again.");
    }
    const id = newId("rpr");
    const which = { ...input, model, vendor, modelPriceId };
    const created = await ctx.db
      .insert(repricings)
      .values({
        projectId: ctx.projectId,
        id,
        state: "queued",
        ...which,
        ...prices,
        askedBy: sql`pg_current_xact_id()::text::bigint`,
        callsExpected: await estimateCallCount(ctx, which),
        ...actorColumns(ctx.actor),
      })
      .onConflictDoNothing()
      .returning({ id: repricings.id });
    if (created.length === 0) {
      throw new ServiceError("conflict", "Another repricing of this project is under way. Wait until it has ended.");
    }
    auditNote(ctx, { target: { type: "repricing", id }, after: { ...which, pricesVersion: pricesVersionOf(prices) } });
    await emit(ctx.db, repricingRequested.create({ projectId: ctx.projectId, repricingId: id }));
    return { repricing: await readRepricing(ctx, id) };
  },
);
