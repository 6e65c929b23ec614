import { expect, test } from "vitest";
import type { TrainingEvent } from "@/server/services/training/events/schemas";
import { runsOf, samplesOf } from "./samples-of";

const event = (seq: number, type: string, data: Record<string, unknown>): TrainingEvent => ({
  seq,
  attempt: 1,
  at: 0,
  level: "info",
  type,
  message: "",
  data,
});

test("answers to the same held-out Example are shown together, in training order", () => {
  const prompt = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is it?" },
  ];
  const sample = (seq: number, step: number, answer: string) =>
    event(seq, "sample", { step, example_id: "ex_1", prompt, reference: "On its way.", output: answer });
  expect(samplesOf([sample(1, 0, "?"), event(2, "eval", {}), sample(3, 100, "On its way.")])).toEqual([
    {
      key: "ex_1",
      exampleId: "ex_1",
      question: "system: Be brief.\nuser: Where is it?",
      expected: "On its way.",
      answers: [
        { step: 0, text: "?" },
        { step: 100, text: "On its way." },
      ],
    },
  ]);
});

test("consecutive equal answers are shown once, with their first and last step", () => {
  const answers = [
    { step: 0, text: "?" },
    { step: 100, text: "Yes." },
    { step: 200, text: "Yes." },
  ];
  expect(runsOf(answers)).toEqual([
    { text: "?", first: 0, last: 0 },
    { text: "Yes.", first: 100, last: 200 },
  ]);
});
