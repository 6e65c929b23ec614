import { variants } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { endExperimentsOfVariant } from "@/server/services/gateway/experiments/ending";
import { variantIdInput } from "./schemas";
import { isVariant, readVariant } from "./variant-rows";

export const deleteVariant = verb(
  {
    name: "variants.delete",
    summary: "Delete one version of a variant with its evaluations.",
    description:
      "Evaluations that run are ended, and experiments of the gateway with it. Other versions of the same name stay, and their numbers do not change.",
    effect: "write",
    capability: "models:manage",
    input: variantIdInput,
    reply: okReply,
  },
  async (ctx, { variantId }) => {
    const { name, version, model } = await readVariant(ctx, variantId);
    await ctx.db.delete(variants).where(isVariant(ctx, variantId));
    // After the row is locked: an experiment that begins meanwhile has locked it before.
    await endExperimentsOfVariant(ctx, variantId);
    auditNote(ctx, { before: { name, version, model }, after: null });
    return { ok: true as const };
  },
);
