import { z } from "zod";
import { CERTIFICATE_STATUSES, PARITY_VERDICTS } from "@/db/schema/enumerations";
import { storableValue, trainerProblemOf } from "@/server/services/trainers";
import type { certificateAnswer, certificateSubject } from "./schemas";

const SUBJECTS_MAX = 50;
const PROMPTS_MAX = 64;
const MESSAGES_MAX = 200;
const TEXT_MAX = 20_000;

const text = z.string().transform((value) => value.slice(0, TEXT_MAX));
const name = z.string().max(200);
const count = z.int().min(0).catch(0);
const amount = z.number().nullable().catch(null);
const subjectOf = {
  kind: name,
  quantization: name.nullish().catch(null),
  deployment_id: name.nullish().catch(null),
};

const subject = z.object({
  ...subjectOf,
  verdict: z.enum(["same", "close", "different"]).nullish().catch(null),
  prompts: count,
  identical_answers: count,
  tokens_compared: count,
  tokens_equal: count,
  first_difference: z.int().min(0).nullish().catch(null),
  mean_logprob_distance: amount.optional(),
  max_logprob_distance: amount.optional(),
  threshold: z.record(z.string(), z.unknown()).nullish().catch(null),
  error: z.unknown(),
});
const answer = z.object({
  messages: z.array(z.record(z.string(), z.unknown())).max(MESSAGES_MAX),
  reference: z.object({ content: text, tokens: z.unknown() }),
  subjects: z.array(z.object({ ...subjectOf, content: text.nullish().catch(null) })).max(SUBJECTS_MAX),
});

/**
 * A certificate as the trainer reports it. Fields that are missing or in another form are ignored, because the trainer's
 * version may differ.
 */
const wireCertificate = z.object({
  status: z.enum(CERTIFICATE_STATUSES),
  verdict: z.enum(PARITY_VERDICTS).nullish().catch(null),
  subjects: z.array(subject).max(SUBJECTS_MAX).nullish().catch(null),
  answers: z.array(answer).nullish().catch(null),
  error: z.unknown(),
});

type Subject = z.output<typeof certificateSubject>;
type Answer = z.output<typeof certificateAnswer>;

const named = ({ kind, quantization, deployment_id }: Pick<z.output<typeof subject>, keyof typeof subjectOf>) => ({
  kind,
  quantization: quantization ?? null,
  deploymentId: deployment_id ?? null,
});

const numbersOf = (given: Record<string, unknown> | null | undefined): Subject["threshold"] =>
  Object.fromEntries(
    Object.entries(given ?? {}).flatMap(([key, value]) =>
      value === null || typeof value === "number" ? [[key, value] as const] : [],
    ),
  );

const subjectJson = (given: z.output<typeof subject>): Subject => ({
  ...named(given),
  verdict: given.verdict ?? null,
  prompts: given.prompts,
  identicalAnswers: given.identical_answers,
  tokensCompared: given.tokens_compared,
  tokensEqual: given.tokens_equal,
  firstDifference: given.first_difference ?? null,
  meanLogprobDistance: given.mean_logprob_distance ?? null,
  maxLogprobDistance: given.max_logprob_distance ?? null,
  threshold: numbersOf(given.threshold),
  error: given.error == null ? null : trainerProblemOf(given.error),
});

/** A trainer may report the number of an answer's tokens, or list them. */
const tokensOf = (given: unknown) =>
  Array.isArray(given) ? given.length : typeof given === "number" && Number.isInteger(given) ? given : null;

const answerJson = ({ messages, reference, subjects }: z.output<typeof answer>): Answer => ({
  messages,
  reference: { content: reference.content, tokens: tokensOf(reference.tokens) },
  subjects: subjects.map((one) => ({ ...named(one), content: one.content ?? null })),
});

/** Converts a trainer's report of a certificate to our terms; returns `null` for anything else. */
export function readWireCertificate(body: unknown) {
  const { certificate } = (storableValue(body) ?? {}) as { certificate?: unknown };
  const parsed = wireCertificate.safeParse(certificate);
  if (!parsed.success) return null;
  const { status, verdict, subjects, answers, error } = parsed.data;
  return {
    status,
    verdict: verdict ?? null,
    subjects: subjects ? subjects.map(subjectJson) : null,
    answers: answers ? answers.slice(0, PROMPTS_MAX).map(answerJson) : null,
    problem: error == null ? null : trainerProblemOf(error),
  };
}
