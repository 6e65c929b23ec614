import { z } from "zod";
import type { Frozen } from "../manifests/freeze-examples";
import { camelCased } from "./job-spec";
import type { TrainingValidation } from "./schemas";

const count = z.int().catch(0);
const text = z.string().catch("");
const known = z.number().nullable().catch(null);

/** A problem of the whole job, with the Examples that it concerns. */
const problem = z.object({
  code: text,
  message: text,
  hint: z.string().nullable().catch(null),
  count: z.int().nullable().catch(null),
  exampleIds: z.array(z.string()).catch([]),
});

/**
 * The trainer's report, with names in camelCase. Whatever it does not know, or a trainer of another version does not report, is
 * empty.
 */
const report = z.object({
  ok: z.boolean(),
  errors: z.array(problem).catch([]),
  warnings: z.array(problem).catch([]),
  rows: z
    .object({
      total: count,
      usable: count,
      tooLong: count,
      emptyAnswer: count,
      duplicate: count,
      identicalPair: count,
      labelCounts: z.record(z.string(), z.int()).nullable().catch(null),
    })
    .prefault({} as never),
  dropped: z.array(z.object({ exampleId: z.string(), code: text, message: text })).catch([]),
  tokens: z
    .object({
      total: count,
      trained: count,
      p50: count,
      p95: count,
      p99: count,
      max: count,
      histogram: z.array(z.object({ start: z.number(), end: z.number(), rows: z.int() })).catch([]),
    })
    .prefault({} as never),
  truncation: z
    .object({ maxLength: count, rows: count, tokensLost: count })
    .nullish()
    .transform((given) => given ?? { maxLength: 0, rows: 0, tokensLost: 0 }),
  template: z
    .object({
      hasTemplate: z.boolean(),
      trainingCompatible: z.boolean().catch(false),
      stopTokenTrained: z.boolean().nullable().catch(null),
      prefixPreserving: z.boolean().nullable().catch(null),
      sha256: z.string().nullable().catch(null),
    })
    .nullish(),
  renderedExamples: z
    .array(
      z.object({
        exampleId: z.string(),
        reason: text,
        part: text,
        tokens: count,
        segments: z.array(
          z.object({
            text: z.string(),
            trained: z.boolean(),
            cut: z.boolean().catch(false),
            weight: z.number().optional().catch(undefined),
          }),
        ),
        turns: z.array(z.object({ role: z.string(), weight: z.number().nullable() })).catch([]),
      }),
    )
    .catch([]),
  memory: z
    .object({
      estimateBytes: known,
      breakdown: z.record(z.string(), z.number()).catch({}),
      fits: z.enum(["yes", "tight", "no", "unknown"]).catch("unknown"),
      device: z.string().nullable().catch(null),
    })
    .nullish(),
  stepsTotal: z.int().nullable().catch(null),
  etaSeconds: z.object({ low: z.number(), high: z.number() }).nullable().catch(null),
  diskNeededBytes: known,
  resolvedSpec: z.record(z.string(), z.unknown()).nullable().catch(null),
});

const NO_TEMPLATE = {
  hasTemplate: false,
  trainingCompatible: false,
  stopTokenTrained: null,
  prefixPreserving: null,
  sha256: null,
};
const NO_MEMORY = { estimateBytes: null, breakdown: {}, fits: "unknown" as const, device: null };

/** Names the Examples that a problem concerns, if it lists any. */
const withExamples = ({ message, exampleIds, count: all, ...rest }: z.output<typeof problem>) => ({
  ...rest,
  message: exampleIds.length === 0 ? message : `${message} (${listed(exampleIds, all ?? exampleIds.length)})`,
});
const LISTED_MAX = 5;
const listed = (ids: string[], all: number) =>
  [...ids.slice(0, LISTED_MAX), ...(all > LISTED_MAX ? [`and ${all - LISTED_MAX} more`] : [])].join(", ");

/** Converts the trainer's report of a dry run to its public form. */
export function validationOf(given: unknown, { train, validation, datasetVersion }: Frozen): TrainingValidation {
  const { errors, warnings, tokens, renderedExamples, template, memory, ...rest } = report.parse(
    camelCased((given ?? {}) as object),
  );
  return {
    ...rest,
    errors: errors.map(withExamples),
    warnings: warnings.map(withExamples),
    tokens: {
      ...tokens,
      histogram: tokens.histogram.map(({ start, end, rows }) => ({
        from: Math.round(start),
        to: Math.round(end),
        rows,
      })),
    },
    template: template ?? NO_TEMPLATE,
    memory: memory ?? NO_MEMORY,
    renderedExamples: renderedExamples.map(({ exampleId, reason, part, tokens: length, segments, turns }) => ({
      exampleId,
      why: [reason, part].filter(Boolean).join(", "),
      tokens: length,
      segments: segments.map(({ text: shown, trained, cut, weight }) => {
        const isTrained = trained && !cut;
        return { text: shown, trained: isTrained, weight: isTrained ? (weight ?? 1) : 0 };
      }),
      turns,
    })),
    datasetVersion,
    trainRows: train.rows,
    validationRows: validation?.rows ?? 0,
  };
}
