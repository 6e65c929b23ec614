import { z } from "zod";
import { type TrainerProblem, TrainerRefused, TrainerUnreachable } from "./trainer-client";

const TEXT_MAX = 4000;
const LOG_LINES_MAX = 50;
const text = z.string().transform((value) => value.slice(0, TEXT_MAX));
const optional = text.nullish().catch(null);

const problem = z
  .object({
    code: text,
    message: text,
    param: optional,
    retryable: z.boolean().catch(false),
    blame: optional,
    phase: optional,
    hint: optional,
    log_tail: z.array(text).catch([]),
  })
  .transform(
    ({ log_tail, param, blame, phase, hint, ...rest }): TrainerProblem => ({
      ...rest,
      param: param ?? null,
      blame: blame ?? null,
      phase: phase ?? null,
      hint: hint ?? null,
      logTail: log_tail.slice(-LOG_LINES_MAX),
    }),
  );

/** Returns a trainer's message with a full stop, so that a hint can follow it. */
export const sentence = (said: string) => (/[.!?…:]$/.test(said) ? said : `${said}.`);

/** Returns a problem and its remedy as one text. */
export const withHint = ({ message, hint }: Pick<TrainerProblem, "message" | "hint">) =>
  hint ? `${sentence(message)} ${hint}` : message;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Returns a trainer's error object, which may be under `error` or `detail`; `null` for anything else. */
export function trainerProblemOf(body: unknown): TrainerProblem | null {
  const candidates = isRecord(body) ? [body.error, body.detail, body] : [];
  for (const candidate of candidates) {
    const parsed = problem.safeParse(candidate);
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** Returns a problem of our own in the form of a trainer's. */
export const problemOf = (
  code: string,
  message: string,
  hint: string | null,
  more: Partial<TrainerProblem> = {},
): TrainerProblem => ({
  code,
  message,
  hint,
  param: null,
  retryable: false,
  blame: "platform",
  phase: null,
  logTail: [],
  ...more,
});

/** Statuses with which a proxy in front of a trainer replies while the trainer is down. */
const GATEWAY = new Set([502, 503, 504]);

/** Returns the error for an unsuccessful response. `tokenName` is the setting that the operator would have to correct. */
export function refusalOf(status: number, body: unknown, tokenName: string): TrainerRefused | TrainerUnreachable {
  const given = trainerProblemOf(body);
  if (given) return new TrainerRefused(status, given);
  if (GATEWAY.has(status)) return new TrainerUnreachable(`The trainer is not available (status ${status}).`);
  if (status === 401 || status === 403) {
    const hint = `Check that ${tokenName} is the trainer's own token.`;
    return new TrainerRefused(status, problemOf("unauthorized", "The trainer does not accept the token.", hint));
  }
  return new TrainerRefused(status, problemOf("invalid_spec", `The trainer replied with the status ${status}.`, null));
}
