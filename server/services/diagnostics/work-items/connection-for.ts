import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { TRACKER_LABELS, trackerConnections } from "@/server/services/connections";
import type { TrackerKind } from "@/server/services/connections/schemas";

type Input = { provider: TrackerKind; connectionId?: string | undefined; destination?: string | undefined };

/** Returns the connection through which tickets are created: the requested one, else the oldest. 501 if there is none. */
export async function connectionFor(ctx: Ctx, { provider, connectionId }: Omit<Input, "destination">) {
  const usable = await trackerConnections(ctx, [provider]);
  if (usable.length === 0) {
    throw new ServiceError(
      "not_implemented",
      `The project has no usable connection to ${TRACKER_LABELS[provider]}. Create one under Integrations, or with POST /v1/projects/${ctx.projectId}/connections (kind ${provider}), with a token.`,
    );
  }
  const found = connectionId === undefined ? usable[0] : usable.find(({ id }) => id === connectionId);
  if (!found) throw unprocessable("/connectionId", `No usable connection to ${TRACKER_LABELS[provider]} has this id.`);
  return found;
}

/** Returns where a ticket goes: the connection, and the requested destination or the connection's default. */
export async function whereTo(ctx: Ctx, { destination, ...input }: Input) {
  const connection = await connectionFor(ctx, input);
  const target = destination ?? connection.settings.defaultDestination;
  if (target === null) {
    throw unprocessable(
      "/destination",
      `Enter a destination, or give the connection “${connection.name}” a default one.`,
    );
  }
  return { provider: input.provider, connectionId: connection.id, destination: target, settings: connection.settings };
}
