import { eq } from "drizzle-orm";
import type { z } from "zod";
import { NOW } from "@/db/now";
import { baseModels } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { ownModelJson } from "./base-models";
import { checkFolder } from "./check-folder";
import { addBaseModelInput, addedBaseModelReply, baseModelReply } from "./schemas";

const BASE_MODELS_MAX = 500;
const COMMIT = /^[0-9a-f]{40}$/;
const HUB_ID = /^[\w.-]+\/[\w.-]+$/;
/** An absolute path on Linux or Windows, without `..`. */
const LOCAL_PATH = /^(?!.*(?:^|[\\/])\.\.(?:[\\/]|$))(?:\/|[A-Za-z]:[\\/])[\w./:@\\+~ -]*$/;

type Input = z.output<typeof addBaseModelInput>;

function requireUsable({ id, source, revision, trustRemoteCode }: Input) {
  if (source === "hub" && !HUB_ID.test(id)) {
    throw unprocessable("/id", "A model on the hub is named owner/name, such as Qwen/Qwen3-0.6B.");
  }
  if (source === "local" && !LOCAL_PATH.test(id)) {
    throw unprocessable("/id", "Enter the absolute path of a folder on the trainer's machine, without `..`.");
  }
  if (source === "local" && revision !== undefined) throw unprocessable("/revision", "A path cannot have a revision.");
  if (trustRemoteCode && !COMMIT.test(revision ?? "")) {
    throw unprocessable(
      "/revision",
      "Code from a model's repository can only run at a fixed commit: enter the commit's 40-character hash as the revision.",
    );
  }
}

async function requireRoom({ db, projectId }: Ctx) {
  if ((await db.$count(baseModels, eq(baseModels.projectId, projectId))) >= BASE_MODELS_MAX) {
    throw new ServiceError("conflict", `This project has ${BASE_MODELS_MAX} base models. Remove some first.`);
  }
}

export const addBaseModel = verb(
  {
    name: "baseModels.add",
    summary: "Add a model from the hub, or a folder on the trainer's machine, to the models that can be trained.",
    description:
      "Nothing is downloaded until a job needs it. A folder is checked at once where the trainer can do that: one that is not there, damaged or not trainable is a 422 with the reason, and otherwise the reply has its template, size, licence and parameters. A model that was already added is a 409. `trustRemoteCode` lets code from the model's repository run on the trainer, and only at the commit that `revision` names.",
    effect: "write",
    capability: "models:manage",
    input: addBaseModelInput,
    reply: baseModelReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: addedBaseModelReply },
  },
  {
    before: async (ctx, input) => {
      await requireTrainer(ctx);
      requireUsable(input);
      return input.source === "local" ? checkFolder(ctx, input.id) : null;
    },
    run: async (ctx, input, found) => {
      await requireRoom(ctx);
      const { id: modelId, source, revision, name, license, trustRemoteCode } = input;
      const [row] = await ctx.db
        .insert(baseModels)
        .values({
          projectId: ctx.projectId,
          id: newId("bm"),
          source,
          modelId,
          revision: source === "local" ? null : (revision ?? "main"),
          name: name ?? modelId.slice(-200),
          license: license ?? null,
          trustRemoteCode,
          found,
          actorKind: ctx.actor.kind,
          actorId: auditActor(ctx.actor).id,
          updatedAt: NOW,
        })
        .onConflictDoNothing()
        .returning();
      if (!row) throw new ServiceError("conflict", `${modelId} is already one of the project's base models.`);
      auditNote(ctx, {
        target: { type: "baseModel", id: row.id },
        after: { modelId, source, revision: row.revision, trustRemoteCode },
      });
      return { baseModel: ownModelJson(row) };
    },
  },
);
