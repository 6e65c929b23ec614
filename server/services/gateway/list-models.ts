import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Ctx } from "@/server/platform/context";
import { SECOND_MS } from "@/server/platform/durations";
import { streamVerb } from "@/server/platform/stream-verb";
import { type CallableModel, callableModels } from "@/server/services/connections";
import { servedNames } from "@/server/services/serving";
import { callableAliases } from "./aliases/callable-aliases";

type Model = { id: string; object: "model"; created: number; owned_by: string };

const modelsReply = z.object({
  data: z.array(
    z.object({ id: z.string(), created: z.number().nullish(), owned_by: z.string().nullish() }).catch({ id: "" }),
  ),
});

/** The owner of what the project itself names. */
const OURS = "whetstone";
const LISTED_MAX = 1_000;
const LIST_MS = 5 * SECOND_MS;
const CACHE_TTL_MS = 60 * SECOND_MS;
const cache = new LRUCache<string, readonly Model[]>({ max: 1_000, ttl: CACHE_TTL_MS });

const entry = (id: string, created: number, owner: string): Model => ({
  id,
  object: "model",
  created: Math.floor(created),
  owned_by: owner,
});

/** Returns the models that a connection's endpoint lists; only the default one if it lists none. */
async function modelsOf(ctx: Ctx, connection: CallableModel): Promise<readonly Model[]> {
  const { id, name, baseUrl, defaultModel } = connection;
  const key = JSON.stringify([ctx.projectId, id, name, baseUrl, defaultModel]);
  const cached = cache.get(key);
  if (cached) return cached;
  try {
    const client = await connection.open(ctx);
    const { data } = await client.json({ path: "/models", timeoutMs: LIST_MS, repeatable: false }, modelsReply);
    const models = data
      .filter((one) => one.id !== "")
      .slice(0, LISTED_MAX)
      .map((one) => entry(`${name}/${one.id}`, one.created ?? 0, one.owned_by ?? name));
    cache.set(key, models);
    return models;
  } catch {
    // An endpoint that cannot list its models may still answer calls.
    return defaultModel === null ? [] : [entry(`${name}/${defaultModel}`, 0, name)];
  }
}

/** Returns what calls can name: aliases, running deployments that no alias hides, and models of connections. */
export async function modelsToCall(ctx: Ctx): Promise<Model[]> {
  const [aliases, deployments, connections] = await Promise.all([
    callableAliases(ctx),
    servedNames(ctx),
    callableModels(ctx),
  ]);
  const named = [...aliases.values()].map(({ name, createdAt }) => entry(name, createdAt / SECOND_MS, OURS));
  const served = deployments
    .filter(({ name }) => !aliases.has(name))
    .map(({ name, startedAt }) => entry(name, startedAt / SECOND_MS, OURS));
  const listed = await Promise.all(connections.map((connection) => modelsOf(ctx, connection)));
  return [...named, ...served, ...listed.flat()];
}

export const listGatewayModels = streamVerb(
  {
    name: "gateway.listModels",
    summary: "List the models that can be called, compatible with OpenAI's list of models.",
    description:
      "The gateway's aliases, the names of running deployments, and what the endpoints of the project's model connections list, as CONNECTION/MODEL. An endpoint that does not reply within 5 seconds contributes its connection's default model. Errors have OpenAI's `error` alongside the fields of a problem.",
    effect: "read",
    capability: "gateway:use",
    input: z.strictObject({}),
    produces: { "application/json": { type: "object" } },
    problems: "openai",
  },
  async (ctx) => {
    const data = await modelsToCall(ctx);
    return { mediaType: "application/json", body: JSON.stringify({ object: "list", data }) };
  },
);
