import { and, eq } from "drizzle-orm";
import { connections, variants } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { listVariantsInput, variantIdInput, variantReply, variantsReply } from "./schemas";
import { connectionOfVariant, readVariant, variantJson } from "./variant-rows";

export const listVariants = verb(
  {
    name: "variants.list",
    summary: "List variants, newest first.",
    description: "Each version is an entry of its own. `findingId` lists those that were written for a Finding.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listVariantsInput,
    reply: variantsReply,
  },
  async (ctx, { findingId, limit, cursor }) => {
    const { projectId } = ctx;
    const filters = { project: projectId, findingId };
    const { createdAt: time, id } = variants;
    const list = newestFirst({ name: "variants", filters, time, id, limit, cursor });
    const found = await ctx.db
      .select({ row: variants, connectionName: connections.name })
      .from(variants)
      .leftJoin(connections, connectionOfVariant)
      .where(
        and(
          eq(variants.projectId, projectId),
          findingId === undefined ? undefined : eq(variants.findingId, findingId),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ row }) => [row.createdAt, row.id]);
    return { variants: rows.map(({ row, connectionName }) => variantJson(row, connectionName)), nextCursor };
  },
);

export const getVariant = verb(
  {
    name: "variants.get",
    summary: "Read one version of a variant.",
    description: "What it changes of a recorded request, and which conversations it was written with.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: variantIdInput,
    reply: variantReply,
  },
  async (ctx, { variantId }) => ({ variant: await readVariant(ctx, variantId) }),
);
