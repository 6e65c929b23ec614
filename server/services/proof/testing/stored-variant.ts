import type { Ctx } from "@/server/platform/context";
import { createConnection, modelConnections } from "@/server/services/connections";
import { createVariant } from "../variants";

/** Stores a variant of what the project's connected model is sent, and connects one if there is none. */
export async function storedVariant(
  ctx: Ctx,
  mark: string,
  findingId: string | null = null,
): Promise<{ variantId: string; connectionId: string }> {
  const connectionId = (await modelConnections(ctx))[0]?.id ?? (await storedModel(ctx));
  const { variant } = await createVariant(ctx, {
    name: `Variant ${mark}`,
    connectionId,
    model: mark,
    systemPrompt: mark,
    note: mark,
    findingId,
  });
  return { variantId: variant.id, connectionId };
}

/** Connects a model at an address where nothing answers. */
export async function storedModel(ctx: Ctx): Promise<string> {
  const baseUrl = "https://models.example.com/v1";
  return (await createConnection(ctx, { kind: "model", name: "A provider", baseUrl, secret: "a-secret" })).connection
    .id;
}
