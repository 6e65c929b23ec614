import { randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { type KnownBaseModel, knownBaseModel } from "@/server/services/models";
import { chooseTrainer, FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { capabilitiesOf, insert } from "../deployments/insert-deployment";
import { deploymentJson, readDeployment } from "../deployments/read-deployments";
import {
  type BaseModelChoice,
  deploymentReply,
  requestedDeploymentReply,
  startPlaygroundInput,
  TIMEOUT_SECONDS,
} from "../deployments/schemas";
import { type Profile, requireServable } from "../deployments/servable";

/** Idle time after which it is stopped. */
const IDLE_SECONDS = 600;
const NAME_BYTES = 6;
const AS_IT_IS = { backend: "auto", quantization: null } as const;

async function ofCheckpoint(ctx: Ctx, checkpointId: string) {
  const [found] = await ctx.db
    .select({
      state: checkpoints.state,
      profile: checkpoints.inferenceProfile,
      trainerId: trainingJobs.trainerId,
    })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.id, checkpointId)));
  if (!found) throw notFound("The checkpoint");
  if (found.state === "pruned") throw new ServiceError("conflict", "The trainer deleted this checkpoint's files.");
  return { checkpointId, profile: found.profile, trainerId: found.trainerId ?? "" };
}

export const ofBaseModel = async (ctx: Ctx, choice: BaseModelChoice) => ({
  baseModel: await requireBaseModel(ctx, choice),
  profile: null,
  trainerId: await chooseTrainer(ctx, {}),
});

/** Returns the chosen model. Throws 422, at `path`, unless it is in the catalogue or one of the project's own. */
export async function requireBaseModel(ctx: Ctx, choice: BaseModelChoice, path = "/baseModel") {
  const baseModel = await knownBaseModel(ctx, choice);
  if (baseModel) return baseModel;
  const message = `The base model ${choice.id} is not known. Choose one from the list of base models, or add it to the project first.`;
  throw unprocessable(path, message);
}

type Served = ({ checkpointId: string } | { baseModel: KnownBaseModel }) & { trainerId: string };

/** Throws 422 with the reason unless the trainer can serve the model as it is. */
export async function requirePlayable(ctx: Ctx, { profile, ...model }: Served & { profile: Profile }): Promise<Served> {
  requireServable(AS_IT_IS, profile, await capabilitiesOf(ctx, model.trainerId));
  return model;
}

/** Stores a playground that its background job will start, and returns its id; `null` if one of this name is starting. */
export const insertPlayground = (tx: Ctx, name: string, model: Served) =>
  insert(tx, {
    ...model,
    purpose: "playground",
    name,
    timeoutSeconds: TIMEOUT_SECONDS,
    idleSeconds: IDLE_SECONDS,
  });

export const startPlayground = verb(
  {
    name: "deployments.startPlayground",
    summary: "Start a checkpoint or a base model in the playground.",
    description:
      "The response is immediate; the playground is ready when `status` is `running`, and `endpoint` is then set. Calls to it are not recorded as conversations. It stops after ten minutes without a call. 422: the base model is not known, or no backend of the trainer can serve it.",
    effect: "write",
    capability: "project:models:manage",
    input: startPlaygroundInput,
    reply: deploymentReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedDeploymentReply },
  },
  {
    before: async (ctx, { checkpointId, baseModel }) => {
      await requireTrainer(ctx);
      const chosen =
        checkpointId === undefined
          ? await ofBaseModel(ctx, baseModel as BaseModelChoice)
          : await ofCheckpoint(ctx, checkpointId);
      return requirePlayable(ctx, chosen);
    },
    run: async (ctx, _, model) => {
      const id = await insertPlayground(ctx, `playground-${randomBytes(NAME_BYTES).toString("hex")}`, model);
      if (id === null) throw new ServiceError("conflict", "Another playground has just taken this name. Try again.");
      auditNote(ctx, { target: { type: "deployment", id } });
      return { deployment: deploymentJson(await readDeployment(ctx, id)) };
    },
  },
);
