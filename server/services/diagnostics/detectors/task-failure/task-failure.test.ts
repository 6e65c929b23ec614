import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { ConversationSnapshot, Detector } from "../../types";
import { endedByLimit } from "./ended-by-limit";
import { prematureClaim } from "./premature-claim";
import { unfulfilledPromise } from "./unfulfilled-promise";
import { unresolvedRequest } from "./unresolved-request";

const found = (detector: Detector, conversation: ConversationSnapshot) =>
  detector.detect(conversation, { keywords: [] });
const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  found(detector, conversation).filter(({ verdict }) => verdict === "match");
const order = called("get_order", { id: 7 }, '{"id": 7, "status": "shipped"}');
const failing = called("cancel_order", { id: 7 }, "Error: order cannot be cancelled");

describe("ended_by_limit", () => {
  test.each([
    "Agent stopped due to iteration limit or time limit.",
    "Agent stopped due to max iterations.",
    "Max rounds (30) reached.\nFINAL ANSWER: 12",
    "Recursion limit of 25 reached without hitting a stop condition.",
    "Maximum number of turns (10) reached, stopping.",
    "Maximum number of messages 20 reached, current message count: 20",
    "I have reached the maximum number of steps, so this is what I found: nothing.",
    "agents.exceptions.MaxTurnsExceeded: Max turns (10) exceeded",
    "Max time (1500s) reached.",
    "Stopped due to 3 consecutive failures",
    "Maximale Anzahl an Schritten erreicht.",
    "Nombre maximal d'itérations atteint.",
    "Número máximo de pasos alcanzado.",
    "最大ステップ数に達しました。",
  ])("detects a limit that the run states: %s", (said) => {
    const [signal] = matches(endedByLimit, conversationOf(user("Find it."), ...order, assistant(said)));
    expect(signal?.evidence[0]).toMatchObject({ messageIndex: 3 });
  });

  test.each([
    ["you have reached your limit", "You have reached the maximum number of iterations your plan includes."],
    ["a condition", "The loop runs until the maximum number of iterations is reached."],
    ["a quotation", 'The log says "max iterations reached" somewhere.'],
    ["code", "Use this:\n```\nraise Stop('max iterations reached')\n```"],
    ["a store's rule", "The maximum number of returns for this order is three."],
    ["a time slot", "The maximum time for a visit is one hour."],
  ])("does not match when it is %s", (_, said) => {
    expect(matches(endedByLimit, conversationOf(user("Tell me."), ...order, assistant(said)))).toEqual([]);
  });

  test("does not match when the user asks about limits or the run continued", () => {
    const said = assistant("Max iterations reached.");
    expect(matches(endedByLimit, conversationOf(user("What does max_iterations print?"), said))).toEqual([]);
    expect(
      matches(endedByLimit, conversationOf(user("Go."), said, user("Go on."), ...order, assistant("It has shipped."))),
    ).toEqual([]);
  });

  test("detects a limit reported by a span", () => {
    const conversation = conversationOf(user("Find it."), ...order);
    const error = { type: "GraphRecursionError", message: "Recursion limit of 25 reached" };
    const span = {
      spanId: "s1",
      callId: null,
      name: "graph",
      arguments: null,
      result: null,
      error,
      startedAt: 1,
      endedAt: 2,
    };
    expect(matches(endedByLimit, { ...conversation, toolCalls: [span] })).toMatchObject([
      { cause: "limit: steps", evidence: [{ spanId: "s1", messageIndex: null }] },
    ]);
  });

  test("detects a run cut off in a loop or a series of errors", () => {
    const loop = Array.from({ length: 10 }, () => order).flat();
    expect(matches(endedByLimit, conversationOf(user("Find it."), ...loop))).toMatchObject([
      {
        cause: "get_order: same call, same result",
        evidence: expect.arrayContaining([expect.objectContaining({ messageIndex: 20 })]),
      },
    ]);
    const errors = Array.from({ length: 10 }, (_, at) =>
      called("get_order", { id: at }, `Error: order ${at} not found`),
    ).flat();
    expect(matches(endedByLimit, conversationOf(user("Find it."), ...errors))).toMatchObject([
      { cause: "get_order: error: order <n> not found" },
    ]);
  });

  test("does not match a long run that ends with an answer, a final-answer tool or varied calls", () => {
    const loop = Array.from({ length: 10 }, () => order).flat();
    expect(matches(endedByLimit, conversationOf(user("Find it."), ...loop, assistant("It has shipped.")))).toEqual([]);
    expect(
      matches(endedByLimit, conversationOf(user("Find it."), ...loop, ...called("final_answer", {}, "shipped"))),
    ).toEqual([]);
    const steps = Array.from({ length: 12 }, (_, at) => called("write_file", { at }, "ok")).flat();
    expect(found(endedByLimit, conversationOf(user("Write."), ...steps))).toMatchObject([{ verdict: "ambiguous" }]);
  });
});

describe("unresolved_request", () => {
  test("detects a conversation that ends with an error", () => {
    expect(matches(unresolvedRequest, conversationOf(user("Cancel order 7."), ...failing))).toMatchObject([
      {
        title: "The conversation ends with the failure of `cancel_order`: order cannot be cancelled",
        evidence: [{ messageIndex: 2 }, { messageIndex: 0 }],
      },
    ]);
  });
  test("detects an empty reply and a failed model call", () => {
    expect(matches(unresolvedRequest, conversationOf(user("Where is it?"), assistant(" ")))).toHaveLength(1);
    const call = {
      spanId: "m1",
      traceId: "t",
      name: "chat",
      provider: "openai",
      requestedModel: "gpt-4o",
      responseModel: null,
      finishReasons: [],
      status: "error" as const,
      error: { type: "APIError", message: "Internal server error" },
      startedAt: 1,
      endedAt: 2,
      usage: null,
    };
    const conversation = { ...conversationOf(user("Where is it?")), modelCalls: [call] };
    expect(matches(unresolvedRequest, conversation)).toMatchObject([
      { evidence: [{ spanId: "m1" }, { messageIndex: 0 }] },
    ]);
  });
  test("detects an assistant that gives up after a failure", () => {
    const gaveUp = assistant("I'm sorry, I was unable to cancel it because of an error.");
    expect(matches(unresolvedRequest, conversationOf(user("Cancel order 7."), ...failing, gaveUp))).toHaveLength(1);
  });
  test.each([
    ["an answer", [user("Where is it?"), ...order, assistant("It has shipped.")]],
    ["thanks", [user("Where is it?"), assistant("It has shipped."), user("Great, thank you!")]],
    ["an error that was overcome", [user("Cancel."), ...failing, ...order, assistant("Order 7 has shipped already.")]],
    [
      "an offer",
      [user("Cancel."), ...failing, assistant("I'm sorry, I could not cancel it. Shall I return it instead?")],
    ],
    ["a policy", [user("Refund me."), assistant("I'm sorry, we cannot refund tickets after departure.")]],
    ["an open question, which only may be one", [user("Hi"), assistant("Hello!"), user("Where is my order?")]],
  ])("does not match when it ends with %s", (_, messages) => {
    expect(matches(unresolvedRequest, conversationOf(...messages))).toEqual([]);
  });
});

describe("unfulfilled_promise", () => {
  test.each([
    "The flight is available. I'll now book it for you.",
    "Let me check the order's status.",
    "I will use the `send_mail` tool to do this.",
    "One moment please.",
    "Ich prüfe das sofort.",
    "Je vais vérifier votre commande.",
    "少々お待ちください。",
  ])("detects a conversation that ends with %j", (said) => {
    expect(matches(unfulfilledPromise, conversationOf(user("Go."), ...order, assistant(said)))).toHaveLength(1);
  });
  test("detects a promise that the user asks about without a reply", () => {
    const promise = assistant("Let me check that for you.");
    const asked = conversationOf(user("Go."), ...order, promise, user("Hello? Are you still there?"));
    expect(matches(unfulfilledPromise, asked)).toMatchObject([{ score: 0.85 }]);
  });
  test.each([
    "It has shipped. Let me know if you need anything else.",
    "I'll send you an e-mail within two business days.",
    "If you confirm, I'll book it.",
    "Would you like to go on? I'll book it then.",
    "I'll transfer you to a human agent. Please hold on.",
    "I checked the order: it has shipped.",
  ])("does not match when it ends with %j", (said) => {
    expect(matches(unfulfilledPromise, conversationOf(user("Go."), ...order, assistant(said)))).toEqual([]);
  });
  test("does not match a conversation without tools", () => {
    const people = conversationOf(user("Can you check?"), assistant("Sure, let me check that."));
    expect(matches(unfulfilledPromise, people)).toEqual([]);
  });
});

describe("premature_claim", () => {
  test("detects a claim whose call failed or was never made", () => {
    const claim = assistant("Done, I've cancelled it.");
    expect(matches(prematureClaim, conversationOf(user("Cancel it."), ...failing, claim))).toMatchObject([
      { evidence: [{ messageIndex: 3 }, { messageIndex: 2 }] },
    ]);
    expect(matches(prematureClaim, conversationOf(user("Cancel it."), ...order, claim))).toMatchObject([
      { title: "The assistant claims to have done something that it never did" },
    ]);
  });
  test.each([
    ["it was done", [...order, ...called("cancel_order", { id: 7 }, "ok"), assistant("Done, I've cancelled it.")]],
    [
      "a tool says so",
      [...called("get_order", {}, '{"status": "cancelled"}'), assistant("It has been successfully cancelled.")],
    ],
    ["it is a condition", [...order, assistant("Once I have cancelled it, you get a mail.")]],
    ["it is denied", [...order, assistant("I haven't cancelled it. I have not booked anything.")]],
    ["no tool is known", [assistant("I've cancelled it.")]],
    ["a tool of any name may have done it", [...called("crm", {}, "ok"), assistant("I've cancelled it.")]],
  ])("does not match when %s", (_, messages) => {
    expect(matches(prematureClaim, conversationOf(user("Cancel it."), ...messages))).toEqual([]);
  });
});
