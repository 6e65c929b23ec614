import { expect, test } from "vitest";
import { assemble, assistant, chat, idOf, logsOf, spansOf, user } from "../testing/conversations";

const EVENT = "gen_ai.evaluation.result";
const CALL = { attributes: chat([user("Hi")], assistant("Hello"), { "gen_ai.response.id": "resp-1" }) };
const judged = (attributes: Record<string, string | number>) =>
  assemble(spansOf([{ ...CALL, events: [{ name: EVENT, attributes }] }])).feedback;

test("an evaluation's value, label and explanation are read from events", () => {
  expect(
    judged({
      "gen_ai.evaluation.name": "csat",
      "gen_ai.evaluation.score.value": 4,
      "gen_ai.evaluation.score.label": "good",
      "gen_ai.evaluation.explanation": "Quick",
    }),
  ).toMatchObject([{ kind: "score", value: 4, name: "csat", comment: "Quick", givenByUser: true, spanId: idOf(1) }]);
  expect(
    judged({ "gen_ai.evaluation.name": "reaction", "gen_ai.evaluation.score.label": "thumbs_down" }),
  ).toMatchObject([{ kind: "thumb", value: "down", givenByUser: true }]);
  expect(judged({ "gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.label": "polite" })).toMatchObject([
    { kind: "comment", value: "polite", givenByUser: false },
  ]);
});

test("an LLM judge's score does not count as a user's, whatever its name, and a human evaluator's does", () => {
  const named = (name: string, type = "llm") =>
    judged({
      "gen_ai.evaluation.name": name,
      "gen_ai.evaluation.score.value": 0,
      "gen_ai.evaluation.evaluator.type": type,
    })[0]?.givenByUser;
  expect(named("relevance")).toBe(false);
  expect(named("llm_user_satisfaction")).toBe(false);
  expect(named("relevance", "human")).toBe(true);
});

test("log records are read like events, and a response id identifies the call", () => {
  const spans = spansOf([CALL, { parentSpanId: idOf(1), attributes: {} }]);
  const logs = logsOf([
    {
      spanId: idOf(2),
      eventName: EVENT,
      attributes: {
        "gen_ai.evaluation.name": "user_rating",
        "gen_ai.evaluation.score.value": 1,
        "gen_ai.response.id": "resp-1",
      },
    },
  ]);
  expect(assemble(spans, logs).feedback).toMatchObject([{ kind: "score", value: 1, spanId: idOf(1) }]);
});

test("an event without a value or a label gives no feedback", () => {
  expect(judged({ "gen_ai.evaluation.name": "csat" })).toEqual([]);
});
