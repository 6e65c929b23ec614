import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { prompts, promptVersions } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { pointerOf, pointLabel, requireOwnLabel } from "./point-label";
import { lockPrompt, ofPrompt, type PromptRow } from "./prompts";
import { movedLabelReply, moveLabelInput } from "./schemas";

const changed = ({ db, projectId }: Ctx, { id }: PromptRow) =>
  db
    .update(prompts)
    .set({ updatedAt: NOW })
    .where(and(eq(prompts.projectId, projectId), eq(prompts.id, id)));

export const moveLabel = verb(
  {
    name: "prompts.moveLabel",
    summary: "Point a label of a prompt to a version, or remove it.",
    description:
      "Clients that follow the label get that version when they read the prompt next; of a removed label a 404, and without `production` those that follow no label get the newest version. `expectedVersion` makes it safe to move a label that others move, too. Each move is recorded with time and actor; one to where the label points already is none.",
    effect: "write",
    capability: "models:manage",
    input: moveLabelInput,
    reply: movedLabelReply,
  },
  async (ctx, { promptName: name, label, version, expectedVersion }) => {
    requireOwnLabel(label, "/label");
    const prompt = await lockPrompt(ctx, name);
    const current = await pointerOf(ctx, prompt, label);
    if (expectedVersion !== undefined && expectedVersion !== current)
      throw new ServiceError(
        "conflict",
        current === null
          ? `The label ${label} does not exist any more. Nothing was changed.`
          : `The label ${label} points to version ${current} now. Nothing was changed.`,
      );
    if (version !== null) await requireVersion(ctx, prompt, version);
    else if (current === null) throw notFound(`The label ${label} of the prompt`);
    const previousVersion = await pointLabel(ctx, prompt, label, version);
    if (previousVersion !== version) await changed(ctx, prompt);
    auditNote(ctx, {
      target: { type: "prompt", id: prompt.id },
      before: { name, label, version: previousVersion },
      after: version === null ? null : { name, label, version },
    });
    return { label, version, previousVersion };
  },
);

async function requireVersion({ db }: Ctx, prompt: PromptRow, version: number) {
  const isVersion = and(ofPrompt(promptVersions, prompt), eq(promptVersions.version, version));
  if ((await db.$count(promptVersions, isVersion)) === 0) throw notFound(`Version ${version} of the prompt`);
}
