import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { ConnectionClient } from "@/server/services/connections";
import { NoAnswer } from "@/server/services/diagnostics/adjudicator";
import type { BaseModelChoice } from "@/server/services/serving/deployments/schemas";
import { serveBaseModel } from "@/server/services/serving/playgrounds";
import { findTarget } from "@/server/services/serving/targets";
import { clientOf, isForNow, NOT_THERE, TrainerRefused, TrainerUnreachable } from "@/server/services/trainers";

const WRONG_STATE = 409;
const SERVER_ERROR = 500;

/** Returns a client of a deployment that answers like a connected endpoint; calls are not recorded as conversations. */
export const deploymentClient = (ctx: Ctx, deploymentId: string): Pick<ConnectionClient, "request"> => ({
  async request({ json, signal }) {
    const { deployment, trainer } = await findTarget(ctx, deploymentId).catch(notServed);
    try {
      const { status, headers, body } = await clientOf(ctx.db, trainer).stream({
        method: "POST",
        path: `/deployments/${encodeURIComponent(deployment.id)}/v1/chat/completions`,
        headers: { accept: "application/json" },
        json: { ...(json as object), model: deployment.name, stream: false },
        projectId: ctx.projectId,
        ...(signal && { signal }),
      });
      return { status, headers, body: Buffer.concat(await Array.fromAsync(body)) };
    } catch (error) {
      if (error instanceof TrainerUnreachable)
        throw new NoAnswer("the deployment's trainer cannot be reached", "endpoint", true);
      if (!(error instanceof TrainerRefused)) throw error;
      const { status, problem } = error;
      if (status === NOT_THERE || status === WRONG_STATE || status >= SERVER_ERROR || isForNow(error))
        throw new NoAnswer(`the deployment cannot answer: ${problem.message.replace(/\.$/, "")}`, "endpoint", true);
      return { status, headers: {}, body: Buffer.from(JSON.stringify({ error: problem })) };
    }
  },
});

/** Returns a client of a base model, which a trainer serves as in the playground while it is asked. */
export const baseModelClient = (ctx: Ctx, baseModel: BaseModelChoice): Pick<ConnectionClient, "request"> => ({
  async request(call) {
    const id = await serveBaseModel(ctx, baseModel).catch(notServed);
    if (id === null)
      throw new NoAnswer(`${baseModel.id} is being started on a trainer, ask again in a few minutes`, "endpoint", true);
    return deploymentClient(ctx, id).request(call);
  },
});

/** A deployment that starts or restarts answers later; one that has ended never does. */
function notServed(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  if (error.code === "not_found") throw new NoAnswer("its deployment was deleted", "endpoint");
  const words = error.message.replace(/^The/, "the").replace(/\.$/, "");
  throw new NoAnswer(words, "endpoint", error.code === "unavailable");
}
