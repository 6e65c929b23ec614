import { hasCapability } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { drawLineage } from "./draw-lineage";
import { createCut, readLineage } from "./read-lineage";
import { resolveRoot } from "./resolve-root";
import { lineageInput, lineageReply, NODES_OF_A_KIND_MAX } from "./schemas";

export const getLineage = verb(
  {
    name: "lineage.get",
    summary: "Read what was made from a base model, and what it was trained on.",
    description:
      "Jobs, checkpoints, what was built from them, deployments and exports, with the versions of Datasets and the Findings that their Examples were made from. `rootModelId` is a base model's name, with or without `@revision`, or the id of a base model, a job or a checkpoint, which stands for the base model that it was trained from. Includes the newest 500 of each kind; `truncated` is true if there are more. `taintedAt`: when some of its training data was deleted with a user or conversation. Findings have titles only for callers with diagnostics:read.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: lineageInput,
    reply: lineageReply,
  },
  async (ctx, { rootModelId }) => {
    const root = await resolveRoot(ctx, rootModelId);
    const cut = createCut();
    const rows = await readLineage(ctx, root, cut);
    const drawn = drawLineage(rows, root, { namesFindings: hasCapability(ctx, ["diagnostics:read"]) });
    return { lineage: { root, ...drawn, truncated: cut.truncated, limit: NODES_OF_A_KIND_MAX } };
  },
);
