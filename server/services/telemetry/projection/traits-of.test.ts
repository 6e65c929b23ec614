import { expect, test } from "vitest";
import { assemble, assistant, chat, spansOf, user } from "../otlp/testing/conversations";
import { traitsOf } from "./traits-of";

const ENGLISH =
  "Could you please tell me where my order is? I have been waiting for it since the beginning of the week.";
const GERMAN = "Ich warte seit einer Woche auf meine Bestellung und möchte wissen, wann sie bei mir ankommt.";

const languagesOf = (messages: object[], answer: string) =>
  traitsOf(assemble(spansOf([{ attributes: chat(messages, assistant(answer)) }]))).filter((trait) =>
    trait.startsWith("language:"),
  );

test("a conversation's language is what the user writes in, whatever the answers are in", () => {
  expect(languagesOf([user(GERMAN)], ENGLISH)).toEqual(["language:de"]);
  expect(languagesOf([user(ENGLISH), assistant(GERMAN), user("Danke!")], GERMAN)).toEqual(["language:en"]);
});

test("short messages are read together", () => {
  const words = GERMAN.match(/(?:\S+\s){5}|.+$/g) ?? [];
  expect(
    languagesOf(
      words.flatMap((some) => [user(some), assistant("Yes?")]),
      "Yes.",
    ),
  ).toEqual(["language:de"]);
});

test("a conversation that is too short to tell has no language", () => {
  expect(languagesOf([user("ok")], ENGLISH)).toEqual([]);
});
