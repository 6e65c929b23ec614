import { z } from "zod";
import { ACTOR_KINDS, FIX_ENDS, FIX_KINDS, FIX_VERDICTS, VERSION_DIMENSIONS } from "@/db/schema/enumerations";
import { changing, idInput, pageInput } from "@/server/platform/schemas";
import { findingFix } from "../findings/schemas";
import { comparedRow } from "../versions/schemas";

export { FIX_KINDS };
/** What may mark the conversations that have a fix. */
export type MarkDimension = (typeof VERSION_DIMENSIONS)[number];

const kind = z.enum(FIX_KINDS);
const note = z.string().trim().max(2_000);

export const createFixInput = z
  .strictObject({
    findingId: idInput,
    /** By what the conversations with the fix are known. */
    by: z.enum(VERSION_DIMENSIONS),
    /** The version, model, label or prompt, as the conversations' filter takes it. `null` with `version`: the one that appears next. */
    value: z.string().trim().min(1).max(500).nullable(),
    /** What it changed. Default: code for a version, prompt for a prompt, unknown otherwise. */
    kind: kind.nullable().optional(),
    note: note.default(""),
  })
  .refine(({ by, value }) => by === "version" || value !== null, {
    message: "Only a version may be the next one.",
    path: ["value"],
  })
  .meta({
    anyOf: [{ properties: { by: { const: "version" } } }, { properties: { value: { type: "string" } } }],
    examples: [{ by: "version", value: "shop 2.5.0" }],
  });

export const fixIdInput = z.strictObject({ fixId: idInput });
export const updateFixInput = changing(
  z.strictObject({ fixId: idInput, kind: kind.nullable().optional(), note: note.optional() }),
  ["fixId"],
);
export const listFixesInput = z.strictObject({
  findingId: idInput.optional().describe("Only fixes of this Finding."),
  ...pageInput,
});

/** A change that went out against a Finding. Times are Unix ms. */
export const fix = z.object({
  id: z.string(),
  findingId: z.string(),
  findingTitle: z.string(),
  /** `null`: all conversations since the Finding was resolved. */
  by: z.enum(VERSION_DIMENSIONS).nullable(),
  /** `null` with `version`: none has appeared since. */
  value: z.string().nullable(),
  /** `null`: nobody said. */
  kind: kind.nullable(),
  note: z.string(),
  /** When the Finding was resolved, or the first conversation with the fix began; `null`: there is none yet. */
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  endReason: z.enum(FIX_ENDS).nullable(),
  /** `null`: not measured yet. Once `proven` it stays so, unless the Finding regresses. */
  verdict: z.enum(FIX_VERDICTS).nullable(),
  verdictAt: z.number().nullable(),
  /** The last comparison; `null` if there are too many conversations to count, or none was made yet. */
  measured: findingFix.omit({ at: true, id: true }).nullable(),
  measuredAt: z.number().nullable(),
  /** Conversations since that would have had the Finding at its rate before, with the comparison's limits; negative: more have it. */
  avoided: z.object({ conversations: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** US dollars that proofs of variants for this Finding have cost so far; `null` for callers who may not read costs. */
  proofCost: z.number().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
});
export type Fix = z.infer<typeof fix>;
export const fixReply = z.object({ fix });
export const fixesReply = z.object({ fixes: z.array(fix), nextCursor: z.string().nullable() });
/** The reply for callers who may watch a fix but not read it. */
export const changedFixReply = z.object({ fix: fix.pick({ id: true }) });

export const fixEffectsReply = z.object({
  /** Of the newest conversations before and since, each side at most 5,000. `null` before there is one with the fix. */
  effects: z
    .object({
      before: z.int(),
      since: z.int(),
      rows: z
        .array(comparedRow)
        .describe("Other Findings, errors, thumbs down, costs and latency; those with a verdict first."),
    })
    .nullable(),
});
export type FixEffects = NonNullable<z.infer<typeof fixEffectsReply>["effects"]>;
