import { desc, eq } from "drizzle-orm";
import { baseModels } from "@/db/schema";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { catalogueModels, isBaseModel, ownModelJson, withDisk } from "./base-models";
import { type BaseModel, baseModelIdInput, baseModelReply, baseModelsReply, listBaseModelsInput } from "./schemas";

export const listBaseModels = verb(
  {
    name: "baseModels.list",
    summary: "List the models that can be trained: the project's own, newest first, then well-known open models.",
    description:
      "`q` searches ids, names and families. `parameters` is in billions and `contextLength` in tokens; `null` means unknown. A model of the project's own replaces the same model from the catalogue.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listBaseModelsInput,
    reply: baseModelsReply,
  },
  async (ctx, { q = "" }) => {
    const rows = await ctx.db
      .select()
      .from(baseModels)
      .where(eq(baseModels.projectId, ctx.projectId))
      .orderBy(desc(baseModels.createdAt), desc(baseModels.id));
    const own = rows.map(ownModelJson);
    const replaced = new Set(own.filter(({ source }) => source === "hub").map(({ id }) => id));
    const wanted = q.trim().toLowerCase();
    const all = [...own, ...catalogueModels().filter(({ id }) => !replaced.has(id))];
    const found = all.filter((model) =>
      [model.id, model.name, model.family ?? ""].some((text) => text.toLowerCase().includes(wanted)),
    );
    return { baseModels: await withDisk(ctx.db, found) };
  },
);

export const getBaseModel = verb(
  {
    name: "baseModels.get",
    summary: "Read one of the project's own base models.",
    description:
      "Its source and revision, whether its own code may run, and what is known of its size and chat template; `null` is unknown. The models of the catalogue are read with the list.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: baseModelIdInput,
    reply: baseModelReply,
  },
  async (ctx, { baseModelId }) => {
    const [row] = await ctx.db.select().from(baseModels).where(isBaseModel(ctx, baseModelId));
    if (!row) throw notFound("The base model");
    const [baseModel] = await withDisk(ctx.db, [ownModelJson(row)]);
    return { baseModel: baseModel as BaseModel };
  },
);
