import { SECOND_MS } from "@/server/platform/durations";
import { streamVerb } from "@/server/platform/stream-verb";
import { findTarget } from "@/server/services/serving";
import { gatewayInput } from "@/server/services/serving/deployments/schemas";
import { requireTrainer } from "@/server/services/trainers";

export const listServedModels = streamVerb(
  {
    name: "deployments.models",
    summary: "List the model of a deployment, compatible with OpenAI's list of models.",
    description:
      "Contains one model, under the deployment's name. Errors have OpenAI's `error` alongside the fields of a problem.",
    effect: "read",
    capability: "workspace:read",
    input: gatewayInput,
    produces: { "application/json": { type: "object" } },
    problems: "openai",
  },
  async (ctx, { deploymentId }) => {
    await requireTrainer(ctx);
    const { name, startedAt, createdAt } = (await findTarget(ctx, deploymentId)).deployment;
    const created = Math.floor((startedAt ?? createdAt) / SECOND_MS);
    const data = [{ id: name, object: "model", created, owned_by: "whetstone" }];
    return { mediaType: "application/json", body: JSON.stringify({ object: "list", data }) };
  },
);
