import type { Ctx } from "@/server/platform/context";
import { rightsOf } from "@/server/platform/installation-rights";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "../readers";
import { trainerJson } from "./capabilities";
import { refreshTrainers } from "./refresh-trainers";
import { listTrainersInput, trainersReply } from "./schemas";
import { attachedTrainers, requireAttachedTrainer } from "./trainer-rows";

const mayManage = async ({ db, actor }: Ctx) =>
  actor.kind === "user" && (await rightsOf(db, actor.userId)).includes("trainers:manage");

export const listTrainers = verb(
  {
    name: "fineTuning.listTrainers",
    summary: "List the trainers of this installation, with what each can do and why it can't do the rest.",
    description: "Trainers are shared by all projects. The one that TRAINER_URL names comes first.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listTrainersInput,
    reply: trainersReply,
  },
  async (ctx) => {
    await requireAttachedTrainer(ctx);
    await refreshTrainers(ctx);
    const rows = await attachedTrainers(ctx.db);
    rows.sort((a, b) => Number(b.kind === "url") - Number(a.kind === "url"));
    return { trainers: rows.map(trainerJson), mayManage: await mayManage(ctx) };
  },
);
