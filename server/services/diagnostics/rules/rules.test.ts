import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../bench/labelled/conversation";
import {
  asEvidenceOfLeads,
  causeKeys,
  causeScope,
  causeSimilarity,
  causeWords,
  confidenceOf,
  DEFAULT_CONFIGURATION,
  diagnosticScore,
  fingerprint,
  KEYWORD_SIGNAL,
  RULES,
  ruleConfiguration,
  runDetectors,
  signalsIn,
} from ".";
import { confidenceCurve, groundsOf } from "./confidence";
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

describe("running a Rule on a conversation", () => {
  test("reports confident matches", () => {
    const { occurrences, notes } = runDetectors(toolFailure, failing, DEFAULT_CONFIGURATION);
    expect(occurrences).toMatchObject([
      { signal: "tool_error", severity: "high", verdict: "match", title: "`get_order` fails: order not found" },
    ]);
    expect(notes).toEqual([]);
  });

  test("drops and counts Signals below the thresholds", () => {
    const strict = runDetectors(toolFailure, failing, { ...DEFAULT_CONFIGURATION, minSignalScore: 1 });
    expect(strict).toMatchObject({ occurrences: [], dropped: { belowScore: 1 } });
    const sure = runDetectors(toolFailure, failing, { ...DEFAULT_CONFIGURATION, minDiagnosticConfidence: 1 });
    expect(sure).toMatchObject({ occurrences: [], dropped: { belowConfidence: 1 } });
  });

  test("can turn off a Signal or make it more severe", () => {
    const off = { ...DEFAULT_CONFIGURATION, signalOverrides: { tool_error: { enabled: false } } };
    expect(runDetectors(toolFailure, failing, off).occurrences).toEqual([]);
    const worse = { ...DEFAULT_CONFIGURATION, signalOverrides: { tool_error: { severity: "critical" as const } } };
    expect(runDetectors(toolFailure, failing, worse).occurrences[0]!.severity).toBe("critical");
  });

  test("leaves only the likeliest turn of a turn-by-turn Signal to the adjudicator", () => {
    const annoyed = conversationOf(
      user("Where is my order?"),
      assistant("It is on its way."),
      user("You told me that already."),
      assistant("It is on its way."),
      user("No, that is wrong. This does not help."),
    );
    const everything = { ...DEFAULT_CONFIGURATION, minSignalScore: 0, adjudicationMode: "auto" as const };
    const dissatisfaction = RULES.find(({ id }) => id === "user-dissatisfaction")!;
    const judged = signalsIn(dissatisfaction, annoyed, everything).filter(({ cause }) => cause === "dissatisfied user");
    expect(judged.length).toBeGreaterThan(1);
    const { undecided } = runDetectors(dissatisfaction, annoyed, everything, { adjudicatorConnected: true });
    expect(undecided.filter(({ cause }) => cause === "dissatisfied user")).toMatchObject([
      { score: Math.max(...judged.map(({ score }) => score)), evidence: [{ messageIndex: 4 }] },
    ]);
  });

  test("drops ambiguous Signals, or returns them for a connected adjudicator", () => {
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

  test("are ignored in instructions and reported as occurrences of the Rule", () => {
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
  const similarity = (a: string, b: string, scope: readonly string[] = ["r", "s"]) =>
    causeSimilarity(causeWords(a, scope), causeWords(b, scope));
  test("are similar if the tool and most of their words are the same", () => {
    const [emma, bob] = [
      "send: recipient emma johnson not found in the users list",
      "send: recipient bob not found in the users list",
    ];
    expect(similarity(emma, bob)).toBe(0.7);
    expect(similarity(bob, emma)).toBe(similarity(emma, bob));
    expect(similarity("get: reservation not found", "get: flight not found")).toBe(0);
    expect(similarity("get: order not found", "put: order not found")).toBe(0);
    expect(similarity("get: <n>", "get: <id>")).toBe(1);
  });
  test.each([
    ["error: payment method <id> not found", "error: no such payment method"],
    ["could not find the reservation", "reservation <id> does not exist"],
    ["error: reservation <id> not found", "error: no reservation was found"],
    ["forbidden", "permission denied"],
    ["connection refused", "econnreset"],
    ["the seat is already taken", "the seat is already booked"],
    ["balance is not enough", "balance is insufficient"],
    ["too many requests", "rate limit exceeded"],
  ])("are similar in other words: %s, %s", (one, other) => {
    expect(similarity(`get: ${one}`, `get: ${other}`)).toBeGreaterThanOrEqual(0.7);
  });
  test.each([
    ["order not found", "no such user"],
    ["balance is not enough", "not enough seats"],
    ["permission denied", "connection refused"],
  ])("are not similar because both fail: %s, %s", (one, other) => {
    expect(similarity(`get: ${one}`, `get: ${other}`)).toBe(0);
  });
  const ofTools = causeScope({ ruleId: "tool-failure", signal: "tool_error", cause: "get: order not found" });
  test.each([
    ["find_by_email: error: user not found", "get_user: error: user <id> not found"],
    ["book: error: payment method <id> not found", "add_bags: no such payment method: <id>"],
    ["book: error: not enough balance in payment method <id>", "change: gift card balance is not enough"],
    ["pay: insufficient funds", "book: there are not enough funds left"],
    ["list: channel not found in the channels list", "post: the requested channel does not exist!"],
    ["get: could not find contact with email <email>", "call: contact not found. try another one"],
  ])("of two tools are similar if both miss the same: %s, %s", (one, other) => {
    expect(similarity(one, other, ofTools)).toBe(1);
    const keys = [one, other].map((cause) => causeKeys("prj_1", ofTools, causeWords(cause, ofTools)));
    expect(keys[0]!.some((key) => keys[1]!.includes(key))).toBe(true);
    expect(similarity(one, other, ["provider-health", "provider_error"])).toBe(0);
  });
  test.each([
    ["get: not found", "put: not found"],
    ["get: error: the requested resource was not found", "put: resource not found"],
    ["read: no such file or directory: <path>", "write: no such file or directory"],
    ["run: not enough values to unpack", "eval: not enough values to unpack"],
    ["get: order not found", "put: user not found"],
    ["get: user not found", "put: not enough user"],
    ["get: the user is not active", "put: the user is not active"],
    ["get: permission denied", "put: permission denied"],
  ])("of two tools are not similar because both fail: %s, %s", (one, other) => {
    expect(similarity(one, other, ofTools)).toBe(0);
  });
  test("that are similar always share a key, so that the index finds them", () => {
    const words = ["not", "found", "in", "the", "list", "recipient", "of", "users", "für", "注文"];
    const causes = Array.from({ length: 200 }, (_, n) => {
      const chosen = words.filter((_word, index) => (n * 37 + index * index * 11) % 10 < 8);
      return `send: ${chosen.join(" ")} ${n % 3 === 0 ? "" : `extra${n % 7}`}`;
    });
    const read = causes.map((cause) => causeWords(cause, ["r", "s"]));
    const keys = read.map((cause) => new Set(causeKeys("prj_1", ["r", "s"], cause)));
    let similar = 0;
    for (let a = 0; a < causes.length; a++) {
      for (let b = 0; b < a; b++) {
        if (causeSimilarity(read[a]!, read[b]!) === 0) continue;
        similar++;
        expect([...keys[a]!].some((key) => keys[b]!.has(key))).toBe(true);
      }
    }
    expect(similar).toBeGreaterThan(1000);
    const [key] = causeKeys("prj_2", ["r", "s"], read[0]!);
    expect(keys[0]!.has(key!)).toBe(false);
  });
});

test("a conversation in which the assistant repeats itself in two ways has one such failure, with the evidence of both", () => {
  const repeats = (cause: string, ...at: number[]) => ({
    ...{ signal: "repeated_message", severity: "medium" as const, score: 1, confidence: 1, verdict: "match" as const },
    ...{ cause, title: cause, summary: cause },
    evidence: at.map((messageIndex) => ({ messageIndex, start: 0, end: 1, quote: "x", spanId: null })),
  });
  const found = asEvidenceOfLeads([repeats("declines", 3, 7), repeats("asks back", 5, 9, 11)]);
  expect(found).toMatchObject([{ cause: "asks back" }]);
  expect(found[0]!.evidence.map(({ messageIndex }) => messageIndex)).toEqual([3, 5, 7, 9, 11]);
});

test("a score is the product of its parts, and 1 of 1 conversations does not have the highest spread", () => {
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

test("confidence is assumed without verdicts, and always between 0 and 1", () => {
  expect(confidenceOf("no_such_signal", 0.9)).toEqual({ value: 0.5, basis: "assumed", n: 0, interval: null });
  for (const { detectors } of RULES) {
    for (const { signal } of detectors) {
      for (const score of [0, 0.3, 0.55, 0.8, 1]) {
        const { value } = confidenceOf(signal, score);
        expect(value >= 0 && value < 1).toBe(true);
      }
    }
  }
});

test("confidence rises with the score, and a few odd verdicts do not silence a well-measured Signal", () => {
  const bucket = (from: number, n: number, correct: number) => ({
    from,
    measured: { n, correct },
    generated: { n: 0, correct: 0 },
  });
  const values = (...buckets: Parameters<typeof confidenceCurve>[0]) =>
    confidenceCurve(buckets).map(({ value }) => Number(value.toFixed(2)));
  expect(values(bucket(0.5, 2, 1), bucket(0.7, 2, 0), bucket(0.9, 55, 55))).toEqual([0.74, 0.74, 0.95]);
  expect(values(bucket(0.3, 6, 0), bucket(0.5, 7, 0), bucket(0.9, 146, 136))[1]).toBeLessThan(0.5);
  expect(values(bucket(0.9, 1, 1))[0]).toBeLessThan(0.7);
});

test("a confidence names what weighs most in it, and only measured ones have an interval", () => {
  const basis = (...buckets: Parameters<typeof confidenceCurve>[0]) =>
    confidenceCurve(buckets).map(({ basis, n, interval }) => ({ basis, n, interval: interval !== null }));
  const [none, three, forty] = [0, 3, 40].map((n) => ({ n, correct: n }));
  const at = (from: number, measured: typeof none, generated: typeof none) => ({
    from,
    measured: measured!,
    generated: generated!,
  });
  expect(basis(at(0.9, forty, none))).toEqual([{ basis: "measured", n: 40, interval: true }]);
  expect(basis(at(0.9, three, forty))).toEqual([{ basis: "generated", n: 40, interval: false }]);
  expect(basis(at(0.9, three, none))).toEqual([{ basis: "assumed", n: 0, interval: false }]);
  expect(basis(at(0.8, three, none), at(0.9, forty, none))[0]).toEqual({ basis: "measured", n: 43, interval: true });
});

test("a stored confidence is traced to its bucket, and an adjudicator's own is assumed", () => {
  const { value, ...grounds } = confidenceOf("tool_error", 0.95);
  expect(grounds).toMatchObject({ basis: "measured", n: 146 });
  expect(groundsOf("tool_error", value)).toEqual(grounds);
  expect(groundsOf("tool_error", 0.75)).toEqual({ basis: "assumed", n: 0, interval: null });
});
