import { sql } from "drizzle-orm";
import { repricings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { repricingRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { currentPriceRevision, requirePricingWrites } from "@/server/services/pricing";
import { estimateCallCount } from "../daily-costs";
import { pricesVersionOf } from "../prices-version";
import { requireRange } from "../require-range";
import { createRepricingInput, repricingReply, requestedRepricingReply } from "../schemas";
import { actorColumns, readRepricing } from "./read-repricings";

export const createRepricing = verb(
  {
    name: "repricings.create",
    summary: "Recalculate stored costs with current prices, in the background.",
    description:
      "Uses the prices at the time of the request, even if they change while it runs. With the `pricesVersion` of a preview it is rejected (409) if prices have changed since. Only one repricing per project can run at a time: a second one is a 409. Previous costs are saved, and undoing the repricing restores them.",
    effect: "write",
    capability: "model-pricing:write",
    input: createRepricingInput,
    reply: repricingReply,
    writeOnlyReply: { unless: ["model-pricing:read"], reply: requestedRepricingReply },
  },
  async (ctx, { pricesVersion, model = null, vendor = null, modelPriceId = null, ...input }) => {
    requirePricingWrites();
    requireRange(input);
    const prices = await currentPriceRevision(ctx);
    if (pricesVersion !== undefined && pricesVersion !== pricesVersionOf(prices)) {
      throw new ServiceError("conflict", "Prices have changed since the preview. Preview again.");
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
      throw new ServiceError(
        "conflict",
        "Another repricing of this project is in progress. Wait until it has finished.",
      );
    }
    auditNote(ctx, { target: { type: "repricing", id }, after: { ...which, pricesVersion: pricesVersionOf(prices) } });
    await emit(ctx.db, repricingRequested.create({ projectId: ctx.projectId, repricingId: id }));
    return { repricing: await readRepricing(ctx, id) };
  },
);
