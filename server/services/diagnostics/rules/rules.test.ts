import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../bench/labelled/conversation";
import {
  closestCause,
  confidenceOf,
  DEFAULT_CONFIGURATION,
  diagnosticScore,
  fingerprint,
  KEYWORD_SIGNAL,
  RULES,
  ruleConfiguration,
  runDetectors,
  sameCause,
} from ".";
import { keywordSignals } from "./keywords";

const toolFailure = RULES.find(({ id }) => id === "tool-failure")!;
const failing = conversationOf(
  user("Where is it?"),
  ...called("get_order", { id: 7 }, "Error: Order not found"),
  assistant("It is gone."),
);

test("every Rule and Signal has a unique name and a description", () => {
  const signals = RULES.flatMap(({ detectors }) => detectors);
  expect(new Set(signals.map(({ signal }) => signal)).size).toBe(signals.length);
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  for (const { looksFor } of signals) expect(looksFor).toMatch(/\.$/);
});

describe("a Rule reads a conversation", () => {
  test("and reports confident matches", () => {
    const { occurrences, notes } = runDetectors(toolFailure, failing, DEFAULT_CONFIGURATION);
    expect(occurrences).toMatchObject([
      { signal: "tool_error", severity: "high", verdict: "match", title: "`get_order` fails: order not found" },
    ]);
    expect(notes).toEqual([]);
  });

  test("and drops and counts Signals below the thresholds", () => {
    const strict = runDetectors(toolFailure, failing, { ...DEFAULT_CONFIGURATION, minSignalScore: 1 });
    expect(strict).toMatchObject({ occurrences: [], dropped: { belowScore: 1 } });
    const sure = runDetectors(toolFailure, failing, { ...DEFAULT_CONFIGURATION, minDiagnosticConfidence: 1 });
    expect(sure).toMatchObject({ occurrences: [], dropped: { belowConfidence: 1 } });
  });

  test("a Signal can be turned off or made more severe", () => {
    const off = { ...DEFAULT_CONFIGURATION, signalOverrides: { tool_error: { enabled: false } } };
    expect(runDetectors(toolFailure, failing, off).occurrences).toEqual([]);
    const worse = { ...DEFAULT_CONFIGURATION, signalOverrides: { tool_error: { severity: "critical" as const } } };
    expect(runDetectors(toolFailure, failing, worse).occurrences[0]!.severity).toBe("critical");
  });

  test("and drops ambiguous Signals, or returns them for a connected adjudicator", () => {
    const unsure = conversationOf(user("?"), ...called("run_speed_test", {}, "Speed test failed: No Connection."));
    const alone = runDetectors(toolFailure, unsure, DEFAULT_CONFIGURATION);
    expect(alone).toMatchObject({ occurrences: [], undecided: [], dropped: { ambiguous: 1 }, notes: [] });
    const auto = { ...DEFAULT_CONFIGURATION, adjudicationMode: "auto" as const };
    expect(runDetectors(toolFailure, unsure, auto)).toMatchObject({
      undecided: [],
      notes: ["No adjudicator is connected: 1 ambiguous signal was left out."],
    });
    expect(runDetectors(toolFailure, unsure, auto, { adjudicatorConnected: true })).toMatchObject({
      undecided: [{ signal: "tool_error" }],
      notes: [],
    });
  });
});

describe("keywords", () => {
  const said = (keyword: string, text: string) =>
    keywordSignals(conversationOf(assistant(text)), [keyword]).flatMap(({ evidence }) =>
      evidence.map(({ quote }) => quote),
    );
  test.each([
    ["refund", "No REFUND, no refunds, un-refund.", ["REFUND", "refund"]],
    ["c++", "I like C++ and c++17.", ["C++", "c++"]],
    ["straße", "In der Straße, nicht Straßen.", ["Straße"]],
    ["возврат", "Возврат и возвраты", ["Возврат"]],
    ["退款", "我要退款吗", ["退款"]],
    ["café", "cafe\u0301 olé", ["cafe\u0301"]],
    ["a.b", "aXb a.b", ["a.b"]],
  ])("%s in “%s”", (keyword, text, quotes) => expect(said(keyword, text)).toEqual(quotes));

  test("are ignored in instructions, and are occurrences of the Rule", () => {
    const conversation = conversationOf({ role: "system", content: "Never say refund." }, user("I want a refund."));
    const { occurrences } = runDetectors(toolFailure, conversation, {
      ...DEFAULT_CONFIGURATION,
      keywords: ["refund", "Refund"],
    });
    expect(occurrences).toMatchObject([
      { signal: KEYWORD_SIGNAL, cause: "keyword: refund", evidence: [{ messageIndex: 1, start: 9, end: 15 }] },
    ]);
  });
});

describe("a configuration", () => {
  const schema = ruleConfiguration(toolFailure);
  test("has defaults for missing fields", () => expect(schema.parse({})).toEqual(DEFAULT_CONFIGURATION));
  test("with an unknown Signal is rejected by name", () => {
    const { error } = schema.safeParse({ signalOverrides: { refusal: { enabled: false } } });
    expect(error!.issues[0]!.message).toContain('"tool-failure" has no Signal "refusal"');
  });
  test.each([{ minSignalScore: 1.1 }, { keywords: [""] }, { adjudicationMode: "always" }, { unknown: 1 }])(
    "rejects %j",
    (input) => {
      expect(schema.safeParse(input).success).toBe(false);
    },
  );
});

describe("causes", () => {
  test("fingerprints distinguish Rule, Signal and cause", () => {
    expect(fingerprint("a", "b", "c")).toBe(fingerprint("a", "b", "c"));
    expect(fingerprint("a", "b", "c")).not.toBe(fingerprint("a", "bc", ""));
    expect(fingerprint("a", "b", "c")).toMatch(/^[0-9a-f]{64}$/);
  });
  test("are similar with mostly the same words about the same tool", () => {
    const [emma, bob] = [
      "send: recipient emma johnson not found in the users list",
      "send: recipient bob not found in the users list",
    ];
    expect(sameCause(emma, bob)).toBe(true);
    expect(sameCause(bob, emma)).toBe(true);
    expect(sameCause("get: reservation not found", "get: flight not found")).toBe(false);
    expect(sameCause("get: order not found", "put: order not found")).toBe(false);
  });
  test("the closest of several is independent of their order", () => {
    const known = ["f: a b c d", "f: a b c e", "g: a b c"];
    expect(closestCause("f: a b c", known)).toBe("f: a b c d");
    expect(closestCause("f: a b c", known.toReversed())).toBe("f: a b c d");
    expect(closestCause("f: z", known)).toBeNull();
  });
});

test("a score is the product of its parts, and 1 of 1 conversations is not the highest", () => {
  const { score, parts } = diagnosticScore({
    severity: "high",
    confidence: 0.9,
    affectedConversations: 50,
    recentConversations: 200,
  });
  expect(score).toBeCloseTo(parts.severity * parts.confidence * parts.spread);
  const one = diagnosticScore({ severity: "high", confidence: 0.9, affectedConversations: 1, recentConversations: 1 });
  expect(one.parts.spread).toBeLessThan(0.5);
  const none = diagnosticScore({ severity: "high", confidence: 0.9, affectedConversations: 0, recentConversations: 0 });
  expect(none.score).toBe(0);
});

test("confidence is derived from verdicts, and is the prior without any", () => {
  expect(confidenceOf("no_such_signal", 0.9)).toEqual({ value: 0.5, basis: "prior", n: 0 });
  for (const { detectors } of RULES) {
    for (const { signal } of detectors) {
      for (const score of [0, 0.3, 0.55, 0.8, 1]) {
        const { value } = confidenceOf(signal, score);
        expect(value >= 0 && value < 1).toBe(true);
      }
    }
  }
});
