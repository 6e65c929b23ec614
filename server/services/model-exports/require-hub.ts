import { type Ctx, requireCapability } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { checkHub, modelHubs } from "@/server/services/connections";
import type { PlannedExport } from "@/server/services/training/settings/schemas";

const HOW_TO_CONNECT =
  "Connect one on the Integrations page: kind model-hub, its address, and a token with write access to the repository.";

/** Returns a usable connection to a model hub; throws a 422 that says how to create one. */
export async function requireHub(ctx: Ctx, connectionId: string, path: string) {
  const hubs = await modelHubs(ctx);
  const hub = hubs.find(({ id }) => id === connectionId);
  if (hub) return hub;
  const usable = hubs.map(({ id, name }) => `${name} (${id})`).join(", ");
  const advice = hubs.length === 0 ? `The project has none. ${HOW_TO_CONNECT}` : `Choose one of these: ${usable}.`;
  throw unprocessable(path, `No connection to a model hub with a token has this id. ${advice}`);
}

type Planned = { planned: PlannedExport; adapter: string };

/** Throws 403 or 422 unless the caller may publish, and the connection and the adapter are suitable. */
export async function requirePlannable(ctx: Ctx, { planned, adapter }: Planned): Promise<void> {
  requireCapability(ctx, ["project:models:manage"]);
  if (planned.format === "lora-adapter" && adapter === "full") {
    throw unprocessable("/output/export/format", "Full training produces no adapter. Choose merged-16bit or gguf.");
  }
  await requireHub(ctx, planned.connectionId, "/output/export/connectionId");
}

/**
 * Throws unless a job may publish as planned and the token can write there now. It calls the hub, so that nobody trains for
 * hours only to be refused.
 */
export async function checkPlannedExport(ctx: Ctx, { planned, adapter }: Planned): Promise<void> {
  await requirePlannable(ctx, { planned, adapter });
  const problems = await checkHub(ctx, planned.connectionId, planned.repoId);
  if (problems.length === 0) return;
  throw unprocessable("/output/export", `The model could not be published at the end. ${problems.join(" ")}`);
}
