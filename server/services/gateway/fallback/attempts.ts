import type { GatewayTarget } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { callableModels } from "@/server/services/connections";
import { findTarget } from "@/server/services/serving";
import { requireTrainer } from "@/server/services/trainers";
import type { AliasRow } from "../aliases/alias-rows";
import { CHAT } from "../calls/chat";
import { limitIn } from "../calls/dialect";
import { chatRequestOf } from "../deployments/chat-request";
import { attemptAtDeployment } from "../deployments/complete-chat";
import type { Attempts } from "../recording/record-call";
import type { Attempt } from "../streams/pass-on";
import { type Asked, attemptAtConnection } from "../upstream/call-connection";

/** A target that is gone cannot be asked. */
const GONE: ReadonlySet<string> = new Set(["not_found", "invalid", "not_implemented"]);

/** Returns an attempt at an answer of a target; `null` if nothing is there that could answer. Throws if it is not ready yet. */
export async function attemptAt(
  ctx: Ctx,
  { maxOutputTokens }: AliasRow,
  target: GatewayTarget,
  asked: Asked,
  attempts: Attempts,
): Promise<Attempt | null> {
  if ("deployment" in target) return attemptAtName(ctx, target.deployment, maxOutputTokens, asked, attempts);
  const connection = (await callableModels(ctx)).find(({ id }) => id === target.connectionId);
  const sent = { ...asked, model: target.model, maxOutputTokens, attempts };
  return connection ? attemptAtConnection(ctx, connection, sent) : null;
}

async function attemptAtName(
  ctx: Ctx,
  name: string,
  maxOutputTokens: number | null,
  { dialect, request, headers, storesContent }: Asked,
  attempts: Attempts,
): Promise<Attempt | null> {
  if (dialect !== CHAT) return null;
  const given = chatRequestOf(request.fields);
  const isLimited = maxOutputTokens === null || limitIn(CHAT, given) !== null;
  try {
    await requireTrainer(ctx);
    const target = await findTarget(ctx, name);
    const limited = isLimited ? given : { ...given, max_tokens: maxOutputTokens };
    return attemptAtDeployment(ctx, name, { target, request: limited, headers, storesContent, attempts });
  } catch (error) {
    if (error instanceof ServiceError && GONE.has(error.code)) return null;
    throw error;
  }
}
