import { z } from "zod";
import { operations } from "@/server/operations";
import { count } from "@/server/platform/text/amounts";
import { callOf, dollars, line, paragraphs } from "../markdown";
import { id, idempotencyKey, msOf, time, tool } from "../tool";

const SUMMARY_TOKENS = 60;

export const listRules = tool({
  name: "list_rules",
  title: "List Rules",
  description: "Lists the Rules that read conversations and find problems, with their ids and Signals.",
  effect: "read",
  input: z.object({}),
  run: async ({ call, shown }) => {
    const { rules } = await call(operations.rules.list, {});
    return paragraphs(
      ...rules.map(({ id: own, enabled, summary, signals }) =>
        [
          `- ${line(own, enabled ? "on" : "off")}: ${shown.short(summary, SUMMARY_TOKENS)}`,
          `  Signals: ${signals.map(({ name, enabled: isOn }) => `${name}${isOn ? "" : " (off)"}`).join(", ")}`,
        ].join("\n"),
      ),
    );
  },
});

export const startBackfill = tool({
  name: "start_backfill",
  title: "Start a backfill",
  description:
    "Runs a Rule over past conversations in the background, the newest first. With dryRun it only says how many, how long and what it costs. Follow it with read_progress.",
  effect: "adds",
  input: z.object({
    ruleId: id("From list_rules."),
    from: time("ISO 8601: last activity, inclusive."),
    to: time("ISO 8601, exclusive."),
    maxConversations: z.int().min(1).max(10_000_000),
    dryRun: z.boolean().optional(),
    idempotencyKey,
  }),
  run: async ({ call }, { ruleId, from, to, maxConversations, dryRun, idempotencyKey: key }) => {
    const input = { ruleId, startMs: msOf(from), endMs: msOf(to), maxConversations };
    if (dryRun) {
      const { preview } = await call(operations.backfills.preview, input);
      return line(
        `It would read ${count(preview.runs, "conversation")} of ${preview.conversations.toLocaleString("en")}`,
        `${preview.alreadyRead.toLocaleString("en")} were read with these settings`,
        `about ${Math.ceil(preview.expectedMs / 1000)} s`,
        preview.adjudication.reason === "deterministic-only"
          ? "asks no model"
          : `asking the adjudicator: ${dollars(preview.adjudicationCost)}`,
        !preview.complete && "examined for the newest only",
      );
    }
    const { backfill } = await call(operations.backfills.create, input, key);
    return paragraphs(
      `Backfill ${backfill.id} is ${backfill.scanStatus}.`,
      callOf("read_progress", { kind: "backfill", id: backfill.id }),
    );
  },
});
