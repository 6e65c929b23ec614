import type { TrainingEvent } from "@/server/services/training/events/schemas";

type Answer = { step: number | null; text: string };
/** A held-out Example with the model's answers in the course of the training. */
export type Sample = {
  key: string;
  exampleId: string | null;
  question: string;
  expected: string | null;
  answers: Answer[];
};

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
/** Returns the text of a prompt or an answer, which may be a string, a message or a list of messages. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    const lines = value.map((message) => {
      const { role, content } = record(message);
      return typeof content === "string" ? (typeof role === "string" ? `${role}: ${content}` : content) : null;
    });
    return lines.filter((line) => line !== null).join("\n") || null;
  }
  const { content } = record(value);
  return typeof content === "string" ? content : null;
}

/** Returns the samples of a log by Example, in the order in which they first appear. */
export function samplesOf(events: readonly TrainingEvent[]): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { type, seq, data } of events) {
    if (type !== "sample") continue;
    const exampleId = typeof data.example_id === "string" ? data.example_id : null;
    const key = exampleId ?? String(seq);
    const known = samples.get(key);
    const sample = known ?? {
      key,
      exampleId,
      question: textOf(data.prompt) ?? "",
      expected: textOf(data.reference),
      answers: [],
    };
    const text = textOf(data.output);
    if (text !== null) sample.answers.push({ step: typeof data.step === "number" ? data.step : null, text });
    samples.set(key, sample);
  }
  return [...samples.values()];
}

/** Groups identical consecutive answers, with the first and the last step at which each was given. */
export function runsOf(answers: readonly Answer[]): { text: string; first: number | null; last: number | null }[] {
  const runs: { text: string; first: number | null; last: number | null }[] = [];
  for (const { step, text } of answers) {
    const before = runs.at(-1);
    if (before && before.text === text && step !== null) before.last = step;
    else runs.push({ text, first: step, last: step });
  }
  return runs;
}
