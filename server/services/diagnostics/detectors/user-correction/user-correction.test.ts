import { describe, expect, test } from "vitest";
import { assistant, conversationOf, user } from "@/bench/labelled/conversation";
import type { ConversationSnapshot, Detector } from "../../types";
import { acceptedCorrection } from "./accepted-correction";
import { explicitCorrection } from "./explicit-correction";
import { ignoredCorrection } from "./ignored-correction";

const run = (detector: Detector, conversation: ConversationSnapshot) => detector.detect(conversation, { keywords: [] });
const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  run(detector, conversation).filter(({ verdict }) => verdict === "match");
const ANSWER = "I have booked a table for Friday at eight for two people.";
const corrected = (words: string, next = "One moment.", answer = ANSWER) =>
  conversationOf(user("Book a table for Saturday."), assistant(answer), user(words), assistant(next));

describe("an explicit correction", () => {
  test.each([
    "No, I meant Saturday.",
    "That's wrong, it is Saturday.",
    "No, I said Saturday.",
    "You misunderstood me: Saturday.",
    "That's not what I asked for.",
    "Nein, ich meinte Samstag.",
    "Das ist falsch, es ist Samstag.",
    "Non, je voulais samedi.",
    "C'est faux, c'est samedi.",
    "No, me refería al sábado.",
    "Isso está errado.",
    "你错了，是星期六",
    "違います。土曜日です。",
  ])("is %j", (words) => {
    const [signal] = matches(explicitCorrection, corrected(words));
    expect(signal?.evidence).toMatchObject([{ messageIndex: 2 }]);
    expect(words).toContain(signal?.evidence[0]?.quote);
  });

  test.each([
    "No, thanks, that's all.",
    "Nothing wrong with that, thank you.",
    "Sorry, I meant Sunday.",
    "My teacher said that is wrong.",
    "Actually, I would also like a taxi.",
    "Is that wrong?",
    "Yes, correct.",
  ])("is not %j", (words) => expect(matches(explicitCorrection, corrected(words))).toEqual([]));

  test("is not the verdict in a quiz", () => {
    const quiz = corrected("That's wrong, next!", "Next.", "Quiz question 3: my guess is Paris. Right?");
    expect(matches(explicitCorrection, quiz)).toEqual([]);
  });

  test("is read from a user's feedback, at its turn", () => {
    const feedback = [
      {
        kind: "correction" as const,
        value: "The table is for Saturday.",
        scale: null,
        comment: null,
        name: null,
        givenByUser: true,
        messageIndex: 1,
        at: 0,
      },
    ];
    expect(matches(explicitCorrection, { ...corrected("Thanks."), feedback })).toMatchObject([
      { title: "A user gives a correction of an answer as feedback", evidence: [{ messageIndex: 1 }] },
    ]);
  });
});

describe("the outcome of a correction", () => {
  test.each([
    ["No, I meant Saturday.", "My apologies, I changed it to Saturday."],
    ["No, I meant Saturday.", "You're right! It is for Saturday."],
    ["Das ist falsch.", "Entschuldigung, ich ändere es auf Samstag."],
    ["C'est faux.", "Vous avez raison, je corrige."],
    ["Eso es incorrecto.", "Tienes razón, lo cambio."],
    ["違います。", "申し訳ありません。土曜日に変更します。"],
  ])("%j is accepted with %j", (words, next) => {
    expect(matches(acceptedCorrection, corrected(words, next))).toMatchObject([
      { evidence: [{ messageIndex: 2 }, { messageIndex: 3 }] },
    ]);
    expect(run(ignoredCorrection, corrected(words, next))).toEqual([]);
  });

  test("a correction is ignored when the assistant repeats its answer", () => {
    const conversation = corrected("No, I meant Saturday.", ANSWER);
    expect(matches(ignoredCorrection, conversation)).toMatchObject([
      { evidence: [{ messageIndex: 2 }, { messageIndex: 3 }] },
    ]);
    expect(run(acceptedCorrection, conversation)).toEqual([]);
  });

  test("a correction is ignored when the user has to correct the next answer too, despite an apology", () => {
    const conversation = conversationOf(
      user("Book a table for Saturday."),
      assistant(ANSWER),
      user("No, I meant Saturday."),
      assistant("Sorry! I have changed your booking to Sunday at eight."),
      user("That's wrong, Saturday."),
      assistant("Sorry, now it is Saturday."),
    );
    expect(matches(ignoredCorrection, conversation)).toMatchObject([
      { evidence: [{ messageIndex: 2 }, { messageIndex: 3 }] },
    ]);
    expect(matches(acceptedCorrection, conversation)).toMatchObject([
      { evidence: [{ messageIndex: 4 }, { messageIndex: 5 }] },
    ]);
  });
});
