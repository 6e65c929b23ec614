import { expect, test } from "vitest";
import { assemble, assistant, chat, idOf, spansOf, user } from "../testing/conversations";
import type { SentSpan } from "../testing/encode-otlp";

const agent = (name: string, more: SentSpan = {}): SentSpan => ({
  name: `invoke_agent ${name}`,
  attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name },
  ...more,
});
const tool = (name: string, more: SentSpan = {}): SentSpan => ({
  name: `execute_tool ${name}`,
  attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name },
  ...more,
});
const below = (number: number) => ({ parentSpanId: idOf(number) });
/** Each message with the inner agent that it belongs to. */
const said = (spans: SentSpan[]) =>
  assemble(spansOf(spans)).messages.map(({ role, parts, agent: of }) => [of, role, parts[0]?.text]);
const ASKED = [
  [null, "user", "Plan my trip"],
  [null, "assistant", "I will ask around"],
];

test("what an agent tells the agent that is its tool is not the user's", () => {
  const spans = [
    agent("planner"),
    { ...below(1), attributes: chat([user("Plan my trip")], "I will ask around") },
    tool("research", below(1)),
    agent("researcher", below(3)),
    { ...below(4), attributes: chat([user("Find flights to Oslo")], "There are two") },
    {
      ...below(1),
      attributes: chat([user("Plan my trip"), assistant("I will ask around"), user("Thanks")], "Two flights"),
    },
  ];
  expect(said(spans)).toEqual([
    ...ASKED,
    ["researcher", "user", "Find flights to Oslo"],
    ["researcher", "assistant", "There are two"],
    [null, "user", "Thanks"],
    [null, "assistant", "Two flights"],
  ]);
});

test("a model that a tool asks has the tool's name, and an agent that another asks for something has its own", () => {
  expect(
    said([
      agent("planner"),
      { ...below(1), attributes: chat([user("Plan my trip")], "I will ask around") },
      tool("summarize", below(1)),
      { ...below(3), attributes: chat([user("Summarize: flights")], "Two flights") },
    ]),
  ).toEqual([...ASKED, ["summarize", "user", "Summarize: flights"], ["summarize", "assistant", "Two flights"]]);
  expect(
    said([
      agent("planner"),
      { ...below(1), attributes: chat([user("Plan my trip")], "I will ask around") },
      agent("writer", below(1)),
      agent("inside", below(3)),
      { ...below(4), attributes: chat([user("Write it down")], "Done") },
      { ...below(1), attributes: chat([user("Plan my trip"), assistant("I will ask around")], "Here it is") },
    ]),
  ).toEqual([
    ...ASKED,
    ["writer", "user", "Write it down"],
    ["writer", "assistant", "Done"],
    [null, "assistant", "Here it is"],
  ]);
});

test("the user's words stay theirs where an agent only wraps another, is started by a program, or is handed the chat", () => {
  const asked = { attributes: chat([user("Plan my trip")], "I will ask around") };
  expect(said([agent("app"), agent("planner", below(1)), { ...below(2), ...asked }])).toEqual(ASKED);
  expect(said([tool("server"), { ...below(1), ...asked }])).toEqual(ASKED);
  expect(
    said([
      agent("planner"),
      { ...below(1), ...asked },
      agent("booker", below(1)),
      { ...below(3), attributes: chat([user("Plan my trip"), assistant("I will ask around")], "Booked") },
    ]),
  ).toEqual([...ASKED, [null, "assistant", "Booked"]]);
});

test("an agent that only chooses who replies to the user leaves the user's words theirs", () => {
  expect(
    said([
      agent("router"),
      { ...below(1), attributes: chat([user("Who is to reply to: Plan my trip")], "planner") },
      agent("planner", below(1)),
      { ...below(3), attributes: chat([user("Plan my trip")], "I will ask around") },
    ]),
  ).toEqual([[null, "user", "Who is to reply to: Plan my trip"], [null, "assistant", "planner"], ...ASKED]);
});

test("agents whose spans are each other's parents are nobody's tools", () => {
  expect(
    said([
      agent("one", below(2)),
      agent("other", below(1)),
      { ...below(2), attributes: chat([user("Plan my trip")], "I will ask around") },
    ]),
  ).toEqual(ASKED);
});
