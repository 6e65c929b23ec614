import { and, desc, isNotNull, lte, ne } from "drizzle-orm";
import { deployments } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { setTokenizerPre } from "@/server/services/models";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { prepareDeployment, queueDeployment, type Wish } from "./insert-deployment";
import { deploymentJson, isNamed, readDeployment } from "./read-deployments";
import {
  deployCheckpointInput,
  deploymentIdInput,
  deploymentReply,
  requestedDeploymentReply,
  TIMEOUT_SECONDS,
} from "./schemas";
import { waitForDeployment } from "./wait-for-deployment";

const common = {
  effect: "write",
  capability: "project:models:manage",
  reply: deploymentReply,
  writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedDeploymentReply },
} as const;

/** Queues the deployment with a row in the audit log, and waits for the outcome. */
async function deploy(ctx: Ctx, wish: Wish): Promise<string> {
  const candidate = await prepareDeployment(ctx, wish);
  const { id } = await inTransaction(ctx, (tx) => queueDeployment(tx, candidate));
  await waitForDeployment(ctx, id);
  return id;
}

/** Returns the reply and audits the outcome. */
async function replyOf(tx: Ctx, id: string) {
  const row = await readDeployment(tx, id);
  const { status, checkpointId, name } = row;
  auditNote(tx, { target: { type: "deployment", id }, after: { checkpointId, name, status } });
  return { deployment: deploymentJson(row) };
}

export const deployCheckpoint = verb(
  {
    ...common,
    name: "deployments.deploy",
    summary: "Deploy a checkpoint, and wait until it is running, has failed or has timed out.",
    description:
      "The response is sent once the deployment is `running`, `failed` or `timeout` (200 for each: the operation is over). `running` means that the trainer got an answer from the model under its name. Disconnecting changes nothing, and the same call again waits for the same deployment. A deployment already running under the name keeps answering until the new one does, then it is drained and stopped; if the new one fails, it keeps running. 409: another deployment of this name is in progress. 422: no backend of the trainer can serve it, with the reasons. With `quantization`, the quantized format has to answer like the checkpoint, unless `force` is set. `tokenizerPre` names the pre-tokenizer where llama.cpp does not recognize it.",
    input: deployCheckpointInput,
  },
  {
    before: async (ctx, { tokenizerPre, ...wish }) => {
      await requireTrainer(ctx);
      if (tokenizerPre !== undefined) await setTokenizerPre(ctx, wish.checkpointId, tokenizerPre);
      return deploy(ctx, wish);
    },
    run: (ctx, _, id) => replyOf(ctx, id),
  },
);

/** Returns what ran under the name before this deployment. */
async function predecessorOf(ctx: Ctx, deploymentId: string): Promise<Wish> {
  const row = await readDeployment(ctx, deploymentId);
  const [previous] =
    row.purpose === "playground"
      ? []
      : await ctx.db
          .select()
          .from(deployments)
          .where(
            and(
              isNamed(ctx, row.name),
              ne(deployments.id, deploymentId),
              isNotNull(deployments.startedAt),
              isNotNull(deployments.checkpointId),
              row.startedAt === null ? undefined : lte(deployments.startedAt, row.startedAt),
            ),
          )
          .orderBy(desc(deployments.startedAt), desc(deployments.id))
          .limit(1);
  if (!previous) throw new ServiceError("conflict", `Nothing ran as “${row.name}” before this deployment.`);
  return {
    checkpointId: previous.checkpointId as string,
    name: previous.name,
    backend: previous.backend ?? "auto",
    quantization: previous.quantization,
    timeoutSeconds: Math.max(previous.timeoutSeconds, TIMEOUT_SECONDS),
    force: previous.isForced,
  };
}

export const rollBackDeployment = verb(
  {
    ...common,
    name: "deployments.rollBack",
    summary: "Redeploy what ran under this name before a deployment.",
    description:
      "A new deployment of the same checkpoint and format, which takes over once it is running; the response is sent then, as for `deployments.deploy`. 409: nothing ran under the name before.",
    input: deploymentIdInput,
  },
  {
    before: async (ctx, { deploymentId }) => {
      await requireTrainer(ctx);
      return deploy(ctx, await predecessorOf(ctx, deploymentId));
    },
    run: (ctx, _, id) => replyOf(ctx, id),
  },
);
