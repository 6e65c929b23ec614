import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { requireEndpoint } from "./endpoints";
import { insertVariant } from "./insert-variant";
import { createVariantInput, requestedVariantReply, variantReply } from "./schemas";
import { readVariant } from "./variant-rows";

export const createVariant = verb(
  {
    name: "variants.create",
    summary:
      "Save a variant of what a model is sent: another model, system prompt, parameters or descriptions of tools.",
    description:
      "Under a name that exists, in any case, it becomes the next version; a version never changes. `evaluations` of a variant show whether it fixes a Finding. A base model is served by a trainer while the variant is tried and proven, which takes `project:models:manage`; such a variant takes no traffic: no alias and no experiment can have it. 422: the connection is not a model connection of the project, the deployment does not run, or the base model is not known.",
    effect: "write",
    capability: "models:manage",
    input: createVariantInput,
    reply: variantReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedVariantReply },
  },
  async (ctx, input) => {
    const endpoint = await requireEndpoint(ctx, input);
    const id = await insertVariant(ctx, { ...input, ...endpoint });
    const variant = await readVariant(ctx, id);
    const { name, version, findingId } = variant;
    auditNote(ctx, { target: { type: "variant", id }, after: { name, version, ...endpoint, findingId } });
    return { variant };
  },
);
