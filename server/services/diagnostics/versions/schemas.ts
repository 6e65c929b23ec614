import { z } from "zod";
import { VERSION_DIMENSIONS as MARKS, SEVERITIES } from "@/db/schema/enumerations";
import { queryUnixMs } from "@/server/platform/schemas";

/** What marks a fix, and the arms of experiments. */
export const VERSION_DIMENSIONS = [...MARKS, "arm"] as const;
export type VersionDimension = (typeof VERSION_DIMENSIONS)[number];

const dimension = z.enum(VERSION_DIMENSIONS);
const window = {
  startedAfter: queryUnixMs
    .optional()
    .describe("Unix milliseconds, inclusive: only conversations that began since then."),
  startedBefore: queryUnixMs.optional().describe("Unix milliseconds, exclusive: only conversations that began before."),
};
const value = z.string().min(1).max(500);

export const listVersionsInput = z.strictObject({
  by: dimension.default("version").describe("What the values are of."),
  ...window,
});
export const versionsReply = z.object({
  versions: z.array(
    z.object({
      value: z.string().describe("As the list of conversations takes it in its filter."),
      conversations: z.int().describe("Among the conversations examined."),
      firstAt: z.number().describe("When the first of these began, Unix ms."),
      lastAt: z.number().describe("When the last of these began, Unix ms."),
    }),
  ),
  sampled: z.boolean().describe("Whether there are more conversations than are examined."),
});

export const compareVersionsInput = z.strictObject({
  by: dimension.default("version").describe("What the two values are of."),
  baseline: value.describe("The value that is compared with, usually the earlier one."),
  compared: value.describe("The value that is judged."),
  ...window,
});

export const VERDICTS = ["better", "worse", "none_shown", "too_few"] as const;
export type Verdict = (typeof VERDICTS)[number];

const estimate = z.object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() });
const side = z.object({
  conversations: z.int().describe("Those for which the row is known, such as those that the Finding's Rule read."),
  affected: z.int().nullable().describe("Of a share, how many have it."),
  estimate: estimate
    .nullable()
    .describe(
      "A share (95% interval by Wilson), the mean cost in US dollars, or the median milliseconds (by order statistics); `null` without conversations.",
    ),
  p95: estimate.nullable().describe("Of latency, the 95th percentile; its limits are `null` where there are too few."),
});
export type ComparedSide = z.infer<typeof side>;

export const comparedRow = z.object({
  kind: z
    .enum(["finding", "errors", "thumbs_down", "cost", "latency"])
    .describe(
      "Shares of conversations with a Finding, with errors, and, of those with feedback of users, with a thumbs down; the cost of a conversation; the mean duration of a conversation's model calls.",
    ),
  finding: z.object({ id: z.string(), title: z.string(), severity: z.enum(SEVERITIES) }).nullable(),
  baseline: side,
  compared: side,
  difference: estimate
    .nullable()
    .describe(
      "Compared minus baseline, with 95% limits that hold however often they are looked at; of latency, the relative change.",
    ),
  p: z.number().nullable().describe("Of this row, corrected for the number of rows that are tested."),
  verdict: z.enum(VERDICTS),
});
export type ComparedRow = z.infer<typeof comparedRow>;

const comparedValue = z.object({
  value: z.string(),
  conversations: z.int(),
  sampled: z.boolean().describe("Whether there are more, of which only the newest are compared."),
  firstAt: z.number().nullable().describe("When the first of these began, Unix ms."),
  lastAt: z.number().nullable().describe("When the last of these began, Unix ms."),
});

export const comparisonReply = z.object({
  comparison: z.object({
    by: dimension,
    baseline: comparedValue,
    compared: comparedValue,
    both: z.int().describe("Conversations with both values, which are in neither side."),
    rows: z.array(comparedRow).describe("Those with a verdict first."),
    otherwise: z
      .array(
        z.object({
          dimension: z.string(),
          value: z.string().nullable(),
          baseline: z.int(),
          compared: z.int(),
        }),
      )
      .describe("What else differs between both, in numbers of conversations: it may be the cause of a difference."),
  }),
});
export type Comparison = z.infer<typeof comparisonReply>["comparison"];
