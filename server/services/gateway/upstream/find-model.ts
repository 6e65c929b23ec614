import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { type CallableModel, callableModels } from "@/server/services/connections";
import { findTarget, servedNames, type Target } from "@/server/services/serving";
import { type CallableAlias, callableAliases } from "../aliases/callable-aliases";

/** What a name in a request leads to. */
export type FoundModel =
  | { alias: CallableAlias }
  | { connection: CallableModel; model: string }
  | { target: Target; address: string };

const NAMED_MAX = 5;

/** Returns the connection whose name or id a model's name begins with; of several the one with the longest. */
function connectionOf(connections: readonly CallableModel[], name: string) {
  const found = connections
    .flatMap((connection) => [connection.name, connection.id].map((prefix) => ({ connection, prefix: `${prefix}/` })))
    .filter(({ prefix }) => name.startsWith(prefix) && name.length > prefix.length)
    .sort((one, other) => other.prefix.length - one.prefix.length);
  const [best] = found;
  if (!best) return undefined;
  if (found.some(({ connection, prefix }) => prefix === best.prefix && connection !== best.connection)) {
    const ids = connections.filter(({ name: one }) => `${one}/` === best.prefix).map(({ id }) => id);
    throw modelError(
      "invalid",
      `Several connections are called ${best.prefix.slice(0, -1)}. Name one by its id: ${ids.join(", ")}.`,
    );
  }
  return { connection: best.connection, model: name.slice(best.prefix.length) };
}

const modelError = (code: "invalid" | "not_found", message: string, openAiCode?: string) =>
  new ServiceError(code, message, {
    errors: [{ path: "/model", message }],
    ...(openAiCode === undefined ? {} : { openAiCode }),
  });

const listed = (names: readonly string[]) =>
  names.length > NAMED_MAX
    ? `${names.slice(0, NAMED_MAX).join(", ")} and ${names.length - NAMED_MAX} more`
    : names.join(", ");

/** Says what can be named instead, which is the project's own. */
async function unknownModel(ctx: Ctx, name: string, connections: readonly CallableModel[]) {
  const deployments = (await servedNames(ctx)).map((one) => one.name);
  const aliases = [...(await callableAliases(ctx)).keys()];
  const ways = [
    connections.length === 0
      ? "The project has no model connection: add one on its Connections page"
      : `Name a model of a connection as CONNECTION/MODEL (connections: ${listed(connections.map((one) => one.name))})`,
    ...(aliases.length === 0 ? [] : [`an alias (${listed(aliases)})`]),
    ...(deployments.length === 0 ? [] : [`or a deployment (${listed(deployments)})`]),
  ];
  return modelError("not_found", `The model “${name}” was not found. ${ways.join(", ")}.`, "model_not_found");
}

/** Returns what answers calls of a model's name: an alias, a connection's model, or a deployment. Throws if there is none. */
export async function findModel(ctx: Ctx, name: string): Promise<FoundModel> {
  const alias = (await callableAliases(ctx)).get(name);
  if (alias) return { alias };
  const connections = await callableModels(ctx);
  const found = connectionOf(connections, name);
  if (found) return found;
  // Not queried for: no deployment has such a name.
  if (name.includes("/")) throw await unknownModel(ctx, name, connections);
  try {
    return { target: await findTarget(ctx, name), address: name };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") throw await unknownModel(ctx, name, connections);
    throw error;
  }
}
