import type { z } from "zod";
import { auditActor, auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { requireStoredCheckpoint, setTokenizerPre } from "@/server/services/models";
import { chooseTrainer, FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { exportJson, readExport } from "./export-rows";
import { insertExport } from "./insert-export";
import { requireHub } from "./require-hub";
import { createExportInput, exportReply, requestedExportReply } from "./schemas";

export const createExport = verb(
  {
    name: "modelExports.create",
    summary: "Publish a checkpoint, or a public model in another format, to a model hub, in the background.",
    description:
      "`destination.connectionId` is a connection of the kind model-hub whose token can write to `repoId`, which is created if it does not exist. A checkpoint is published once its parity certificate for the format has passed, which is created if there is none; with `force` it is published anyway, and the model card says so. Everything arrives in one commit. `tokenizerPre` names the pre-tokenizer where llama.cpp does not recognize it (503 while the checkpoint's trainer is unreachable). 422: the connection cannot be used, the checkpoint's files were deleted, it has no adapter, or no trainer can build the format; the message says why.",
    effect: "write",
    capability: "project:models:manage",
    input: createExportInput,
    reply: exportReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedExportReply },
  },
  {
    before: async (ctx, { checkpointId, tokenizerPre }) => {
      await requireTrainer(ctx);
      if (checkpointId !== undefined && tokenizerPre !== undefined)
        await setTokenizerPre(ctx, checkpointId, tokenizerPre);
    },
    run: async (ctx, input) => {
      await requireTrainer(ctx);
      const { format, quantization, destination, force } = input;
      const source = await sourceOf(ctx, input);
      const hub = await requireHub(ctx, destination.connectionId, "/destination/connectionId");
      const trainerId = await chooseTrainer(ctx, {
        exportFormats: [format],
        ggufQuantizations: quantization === undefined ? [] : [quantization],
        ...(source.trainerId === null ? {} : { trainerId: source.trainerId }),
        path: "/format",
      });
      const id = await insertExport(ctx, {
        checkpointId: source.checkpointId,
        hubModel: source.hubModel,
        format,
        quantization: quantization ?? null,
        connectionId: hub.id,
        endpoint: hub.baseUrl,
        repoId: destination.repoId,
        isPrivate: destination.private,
        isForced: force,
        jobId: null,
        trainerId,
        actorKind: ctx.actor.kind,
        actorId: auditActor(ctx.actor).id,
      });
      if (id === null) throw new ServiceError("conflict", "It is already queued.");
      auditNote(ctx, { target: { type: "export", id }, after: input });
      return { export: exportJson(await readExport(ctx, id)) };
    },
  },
);

type Source = {
  checkpointId: string | null;
  hubModel: { id: string; revision: string | null } | null;
  trainerId: string | null;
};

/** Returns the source to publish; throws 422 if it cannot be published in this format. */
async function sourceOf(ctx: Ctx, input: z.output<typeof createExportInput>): Promise<Source> {
  const { checkpointId, hubModel, format } = input;
  if (checkpointId === undefined) {
    if (format === "lora-adapter")
      throw unprocessable("/format", "A model on the hub has no adapter that was trained here.");
    const { id = "", revision } = hubModel ?? {};
    return { checkpointId: null, hubModel: { id, revision: revision ?? null }, trainerId: null };
  }
  const { checkpoint, job } = await requireStoredCheckpoint(ctx, checkpointId);
  if (format === "lora-adapter" && checkpoint.kind === "full") {
    throw unprocessable("/format", "This checkpoint is a full model and has no adapter. Choose merged-16bit or gguf.");
  }
  return { checkpointId, hubModel: null, trainerId: job.trainerId };
}
