import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { LabelledInput } from "../../../../../bench/labelled/read-labelled";
import type { ConversationSnapshot, Detector } from "../../types";
import { alternatingToolCalls } from "./alternating-tool-calls";
import { repeatedMessage } from "./repeated-message";
import { repeatedToolCall } from "./repeated-tool-call";
import { restartedWork } from "./restarted-work";

const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  detector.detect(conversation, { keywords: [] }).filter(({ verdict }) => verdict === "match");
const times = (count: number, make: (at: number) => LabelledInput["messages"]) =>
  Array.from({ length: count }, (_, at) => make(at)).flat();

describe("repeated_tool_call", () => {
  test("detects the same call and result three times", () => {
    const [found] = matches(
      repeatedToolCall,
      conversationOf(...times(3, () => called("get_plan", { id: "P1" }, '{"gb": 15}'))),
    );
    expect(found).toMatchObject({ title: "`get_plan` is called again and again with the same result" });
    expect(found!.evidence).toHaveLength(3);
  });
  test("ignores key order and letter case", () => {
    const calls = times(4, (at) =>
      called("search", at % 2 ? { q: "Oslo hotels", n: 5 } : { n: 5, q: "oslo  Hotels" }, "12 hits"),
    );
    expect(matches(repeatedToolCall, conversationOf(...calls))).toHaveLength(1);
  });
  test("detects the same failure with different arguments", () => {
    const calls = times(5, (at) => called("get_plan", { id: `P10${at}` }, `Error: Plan P10${at} not found`));
    expect(matches(repeatedToolCall, conversationOf(...calls))).toHaveLength(1);
  });
  test("names the failure of a call that fails each time", () => {
    const calls = times(4, () => called("get_plan", { id: "P1" }, "Error: Plan P100 not found"));
    expect(matches(repeatedToolCall, conversationOf(...calls))).toMatchObject([
      { cause: "get_plan: error: plan <id> not found", title: "`get_plan` fails again and again: plan … not found" },
    ]);
  });
  test.each([
    ["twice is not a habit", times(2, () => called("get", {}, "7"))],
    ["progress", times(6, (at) => called("get_job_status", {}, `${at * 20}%`))],
    ["pages", times(6, (at) => called("list", { page: at }, `item ${at}`))],
    ["the user asks again", times(3, () => [user("And now?"), ...called("get_status", {}, "open")])],
    ["short answers to different calls", times(6, (at) => called("add_item", { at }, "ok"))],
  ])("does not match: %s", (_, messages) => expect(matches(repeatedToolCall, conversationOf(...messages))).toEqual([]));
});

describe("alternating_tool_calls", () => {
  const round = [...called("open", { id: 1 }, "page one"), ...called("back", {}, "list")];
  test("detects the same round four times", () => {
    const [found] = matches(alternatingToolCalls, conversationOf(...times(4, () => round)));
    expect(found).toMatchObject({ cause: "back open: in turn" });
  });
  test("ignores a single repeated call and rounds that make progress", () => {
    expect(matches(alternatingToolCalls, conversationOf(...times(6, () => called("open", {}, "x"))))).toEqual([]);
    const working = times(5, (at) => [
      ...called("edit", { at }, "saved"),
      ...called("run_tests", {}, `${5 - at} failed`),
    ]);
    expect(matches(alternatingToolCalls, conversationOf(...working))).toEqual([]);
  });
});

describe("repeated_message", () => {
  const words =
    "I understand your concern. Let me check the details of your reservation once more and come back to you.";
  test("detects the same words three times", () => {
    expect(
      matches(repeatedMessage, conversationOf(...times(3, (at) => [user(`Point ${at}?`), assistant(words)]))),
    ).toHaveLength(1);
  });
  test.each([
    ["answers the same failure", () => "Error: Plan P100 not found", "get_plan: error: plan <id> not found"],
    ["once answers a success", (at: number) => (at === 1 ? "15 GB" : "Error: none"), "repeats itself and answers"],
  ])("names what is behind it if it %s", (_, resultOf, cause) => {
    const messages = times(3, (at) => [
      user(`Point ${at}?`),
      ...called("get_plan", { at }, resultOf(at)),
      assistant(words),
    ]);
    expect(matches(repeatedMessage, conversationOf(...messages))).toMatchObject([{ cause }]);
  });
  test("ignores a message repeated much later in a channel", () => {
    const others = times(8, (at) => [user(`And ${at}?`), assistant(`That is answer number ${at}.`)]);
    const log = times(3, () => [user("Anyone?"), assistant(words), ...others]);
    expect(matches(repeatedMessage, conversationOf(...log))).toEqual([]);
  });
  test("ignores courtesies and the same answer to the same question", () => {
    expect(
      matches(repeatedMessage, conversationOf(...times(3, () => [user("Thanks"), assistant("You are welcome!")]))),
    ).toEqual([]);
    expect(matches(repeatedMessage, conversationOf(...times(2, () => [user("Hours?"), assistant(words)])))).toEqual([]);
  });
});

describe("restarted_work", () => {
  const block = times(4, (at) => called("read_file", { path: `/src/${at}.ts` }, `content ${at}`));
  test("detects a series repeated in the same order", () => {
    const [found] = matches(restartedWork, conversationOf(...block, ...called("think", {}, "hm"), ...block));
    expect(found!.score).toBeGreaterThan(0.7);
  });
  test("names the failure of a tool that fails in each call of a series", () => {
    const failing = times(3, (at) => called("read_file", { path: `/src/${at}.ts` }, "Error: permission denied"));
    const [found] = matches(restartedWork, conversationOf(...failing, ...called("think", {}, "hm"), ...failing));
    expect(found).toMatchObject({ cause: "read_file: error: permission denied" });
  });
  test("detects an announced restart", () => {
    const one = called("search", { q: "x" }, "y");
    const messages = [
      ...one,
      ...called("open", {}, "z"),
      assistant("That is wrong. Let me start over from scratch."),
      ...one,
    ];
    expect(matches(restartedWork, conversationOf(...messages))).toHaveLength(1);
  });
  test("ignores a file read twice and advice to restart", () => {
    expect(matches(restartedWork, conversationOf(...block, ...block.slice(0, 2)))).toEqual([]);
    expect(
      matches(
        restartedWork,
        conversationOf(assistant("Hello there."), user("It hangs."), assistant("Please restart the router.")),
      ),
    ).toEqual([]);
  });
});
