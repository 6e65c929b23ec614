import { describe, expect, test } from "vitest";
import { assistant, conversationOf, user } from "@/bench/labelled/conversation";
import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";
import type { ConversationSnapshot, Detector } from "../../types";
import { abandonment } from "./abandonment";
import { escalationRequest } from "./escalation-request";
import { frustration } from "./frustration";
import { negativeFeedback } from "./negative-feedback";
import { rephrasedRequest } from "./rephrased-request";
import { shareOfScale } from "./share-of-scale";
import { judgedTurns } from "./turn-dissatisfaction";

const run = (detector: Detector, conversation: ConversationSnapshot) => detector.detect(conversation, { keywords: [] });
const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  run(detector, conversation).filter(({ verdict }) => verdict === "match");
/** A user's reply to an answer that may have disappointed. */
const reply = (words: string, answer = "Your order 4821 is on its way.") =>
  conversationOf(user("Where is my order?"), assistant(answer), user(words), assistant("One moment."));

describe("frustration", () => {
  test.each([
    "This is ridiculous.",
    "You are not helping at all.",
    "Are you even listening to me? You keep repeating yourself.",
    "I already told you my order number!",
    "I'm getting really annoyed here.",
    "This bot is garbage.",
    "I've told you three times already.",
    "Das ist doch lächerlich.",
    "Hören Sie mir überhaupt zu?",
    "C'est vraiment n'importe quoi.",
    "Estoy harto, no me entiendes.",
    "太差了，你什么都不懂",
    "いい加減にしてください。役に立たないですね。",
  ])("is detected in %j", (words) => {
    const [signal] = matches(frustration, reply(words));
    expect(signal?.title).toContain("frustrated");
    expect(signal?.evidence[0]).toMatchObject({ messageIndex: 2 });
    expect(words).toContain(signal?.evidence[0]?.quote.trim());
  });

  test.each([
    "No, thanks, that's all.",
    "My boss is useless, he never answers.",
    "The movie was terrible.",
    "I hate Mondays lol",
    "No problem, not bad at all!",
    "That film was a waste of time.",
    "Great, that is perfect!",
    "Can you fix this ridiculous bug in `parse()`?",
    "Could you check again please?",
  ])("is not detected in %j", (words) => expect(matches(frustration, reply(words))).toEqual([]));

  test("is not detected in the first message, which is about an earlier event", () => {
    expect(
      matches(frustration, conversationOf(user("I am so frustrated with my phone."), assistant("Sorry."))),
    ).toEqual([]);
  });

  test("is not detected in code", () => {
    expect(matches(frustration, reply("```\nthrow new Error('you are useless')\n```"))).toEqual([]);
  });
});

describe("the dissatisfaction score", () => {
  const score = (words: string, answer?: string) => judgedTurns(reply(words, answer)).at(-1)!.score;

  test("ranks turns from angry to happy", () => {
    const angry = score("You are not helping!");
    const corrects = score("No, that's not right, I need two tickets.");
    const rejects = score("I don't like that one. Anything else?");
    const neutral = score("And what time does it leave?");
    const happy = score("Great, thank you!");
    expect([angry, corrects, rejects, neutral, happy]).toEqual(
      [angry, corrects, rejects, neutral, happy].sort((one, other) => other - one),
    );
  });

  test("is higher after an answer that failed", () => {
    expect(score("How about Tuesday?", "I'm sorry, there are no tables available.")).toBeGreaterThan(
      score("How about Tuesday?", "There is a table at eight."),
    );
  });

  test("is lower for a dislike that answers a question about one's taste", () => {
    expect(score("I don't like it, it is too loud.", "Did you like that song?")).toBeLessThan(
      score("I don't like it, it is too loud.", "I play that song now."),
    );
  });

  test("is lower before any answer", () => {
    const words = "I don't want the blue one.";
    expect(judgedTurns(conversationOf(user(words)))[0]!.score).toBeLessThan(score(words, "The blue one is ready."));
  });

  test("ranks a last turn that rejects an answer above a curse long before", () => {
    const highest = (...messages: Parameters<typeof conversationOf>) =>
      Math.max(...run(frustration, conversationOf(...messages)).map((one) => one.score));
    expect(
      highest(user("Play a song."), assistant("Which one?"), user("No, I don't want that one. Try again.")),
    ).toBeGreaterThan(
      highest(user("I am so damn bored."), assistant("Shall I play a song?"), user("Yes, the first one.")),
    );
  });

  test("is reported as ambiguous below the match threshold", () => {
    const signals = run(frustration, reply("No, I don't want that. Something else."));
    expect(signals).toMatchObject([{ verdict: "ambiguous", evidence: [{ messageIndex: 2 }] }]);
    expect(signals[0]!.score).toBeLessThan(0.6);
  });
});

describe("negative feedback", () => {
  const rated = (feedback: Partial<SnapshotFeedback>, more: Partial<SnapshotFeedback>[] = []) => ({
    ...reply("Thanks."),
    feedback: [feedback, ...more].map((one) => ({
      kind: "thumb" as const,
      value: "down",
      scale: null,
      comment: null,
      name: null,
      givenByUser: true,
      messageIndex: 1,
      at: 0,
      ...one,
    })),
  });

  test("a thumbs-down is reported at its turn with its comment, and a thumbs-up is not", () => {
    expect(matches(negativeFeedback, rated({ comment: "Wrong order" }))).toMatchObject([
      { title: "A user gives an answer a thumbs down", evidence: [{ messageIndex: 1 }] },
    ]);
    expect(matches(negativeFeedback, rated({ value: "up" }))).toEqual([]);
  });

  test("a low score is reported, and a good one or a single 1 on an unknown scale is not", () => {
    const score = (value: number, more: Partial<SnapshotFeedback> = {}) =>
      matches(negativeFeedback, rated({ kind: "score", value, ...more }));
    expect(score(2)).toHaveLength(1);
    expect(score(0.1)).toHaveLength(1);
    expect(score(1, { scale: { min: 1, max: 5 } })).toHaveLength(1);
    expect(score(1)).toEqual([]);
    expect(score(5)).toEqual([]);
    expect(score(90)).toEqual([]);
    expect(
      shareOfScale({ kind: "score", value: 1, scale: null, name: null }, [
        { kind: "score", value: 4, scale: null, name: null },
      ]),
    ).toBe(0);
  });

  test("an automatic evaluation is ignored", () => {
    expect(run(negativeFeedback, rated({ kind: "score", value: 0, name: "toxicity", givenByUser: false }))).toEqual([]);
  });

  test.each(["Useless answer, it still does not work.", "Das ist falsch."])("the comment %j is negative", (value) =>
    expect(matches(negativeFeedback, rated({ kind: "comment", value }))).toHaveLength(1),
  );
  test("a friendly comment is not reported", () => {
    expect(run(negativeFeedback, rated({ kind: "comment", value: "Great answer, thank you!" }))).toEqual([]);
  });

  test.each([
    "That's not what I asked.",
    "This is not helpful.",
    "Das hilft mir leider nicht.",
    "Eso no me ayuda.",
    "答非所问",
  ])("%j rates the answer", (words) => expect(matches(negativeFeedback, reply(words))).toHaveLength(1));
  test.each(["It didn't help the story.", "Is this useful for beginners?"])("%j does not rate the answer", (words) =>
    expect(run(negativeFeedback, reply(words))).toEqual([]),
  );
});

describe("a rephrased request", () => {
  const asked = (answer: string, again: string) =>
    conversationOf(
      user("How can I export all my invoices as PDF files?"),
      assistant(answer),
      user(again),
      assistant("Hm."),
    );

  test("is the same request again after an answer that did not help", () => {
    expect(
      matches(
        rephrasedRequest,
        asked("You can view invoices under Billing.", "Again: how do I export all invoices as PDF files?"),
      ),
    ).toMatchObject([{ evidence: [{ messageIndex: 0 }, { messageIndex: 2 }] }]);
  });

  test("is neither a request with a detail the assistant asked for nor a different request", () => {
    const detail = asked("For which year?", "Export all my invoices of 2024 as PDF files please");
    expect(matches(rephrasedRequest, detail)).toEqual([]);
    expect(run(rephrasedRequest, asked("Under Billing.", "Thanks! And where do I change my address again?"))).toEqual(
      [],
    );
  });
});

describe("an escalation request", () => {
  test.each([
    "Can I speak to a human?",
    "Please transfer me to a real person.",
    "I want to speak with your supervisor.",
    "Ich möchte mit einem Mitarbeiter sprechen.",
    "Je veux parler à un conseiller.",
    "Quiero hablar con una persona.",
    "转人工",
    "担当者と話したいです",
    "I want to file a complaint.",
  ])("is %j", (words) => expect(matches(escalationRequest, reply(words))).toHaveLength(1));
  test.each([
    "I don't want to talk to a human, just help me.",
    "Write an email in which I ask to speak to a supervisor.",
    "I am a manager at a shop.",
    "My agent will call you.",
  ])("is not %j", (words) => expect(matches(escalationRequest, reply(words))).toEqual([]));
});

describe("abandonment", () => {
  test("is detected when a dissatisfied user leaves after another failure", () => {
    const left = conversationOf(
      user("I need a table for two tonight."),
      assistant("I'm sorry, there are no tables available."),
      user("No, that is not right, are you sure? Check again."),
      assistant("I'm sorry, I could not find any tables."),
    );
    expect(matches(abandonment, left)).toMatchObject([{ evidence: [{ messageIndex: 3 }] }]);
  });

  test("is not detected after a goodbye or an answer that needs no reply", () => {
    expect(run(abandonment, reply("Thanks, that's all. Bye!"))).toEqual([]);
    expect(run(abandonment, conversationOf(user("What is 2 + 2?"), assistant("4")))).toEqual([]);
  });

  test("is only ambiguous when the user leaves the assistant's question unanswered", () => {
    const late = conversationOf(
      ...["a", "b", "c"].flatMap((name) => [user(`Book room ${name}`), assistant("For which day would you like it?")]),
    );
    const [signal] = run(abandonment, late);
    expect(signal).toMatchObject({ verdict: "ambiguous" });
    expect(signal!.score).toBeLessThan(0.3);
  });
});
