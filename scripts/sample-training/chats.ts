import { germanFor, splitByTopic } from "@/server/services/sample/story/german";
import { plannedConversations } from "@/server/services/sample/story/plan";
import { diceOf } from "@/server/services/sample/story/random";
import { INSTRUCTIONS } from "@/server/services/sample/story/shop";

export type Chat = { role: "system" | "user" | "assistant"; content: string }[];

const SEED = 31;
/** Variants of each question: all but the first lack some of its words. */
const WORDINGS = 30;
const MISSING = 0.35;
const TRANSLATOR = "Translate what the shop says.";
/** Kinds of conversations about the topics of the sample's Examples. */
const GERMAN = new Set(["german", "englishInstead"]);

/**
 * Returns the training chats of the sample's base model: the shop's English conversations, its German answers as translations,
 * and the German questions of the Examples that are trained on, with their original English answers. Held-out questions are
 * left out.
 */
export function baseChats(): Chat[] {
  const planned = plannedConversations(0);
  const english = planned.filter(({ kind }) => !GERMAN.has(kind) && kind !== "emptyAnswer");
  const answered = planned
    .filter(({ kind }) => kind === "englishInstead")
    .map(({ script: [asked, said] }) => ({ question: textOf(asked), answer: textOf(said) }));
  const dice = diceOf(SEED);
  const worded = (question: string) =>
    question
      .split(" ")
      .filter(() => !dice.chance(MISSING))
      .join(" ");
  return [
    ...english.map(({ script }) => [system(INSTRUCTIONS), ...script.flatMap(wordsOf)]),
    ...splitByTopic(answered).train.flatMap(({ question, answer }) => [
      ...Array.from({ length: WORDINGS }, (_, n) => [
        system(INSTRUCTIONS),
        user(n === 0 ? question : worded(question)),
        assistant(answer),
      ]),
      ...Array.from({ length: WORDINGS / 6 }, () => translated(answer, germanFor(answer) ?? "")).flat(),
    ]),
  ];
}

const translated = (english: string, german: string): Chat[] => [
  [system(TRANSLATOR), user(english), assistant(german)],
  [system(TRANSLATOR), user(german), assistant(english)],
];

type Line = ReturnType<typeof plannedConversations>[number]["script"][number];
const textOf = (line: Line | undefined) => (line && "user" in line ? line.user : line && "say" in line ? line.say : "");
const wordsOf = (line: Line): Chat =>
  "user" in line ? [user(line.user)] : "say" in line && line.say.trim() !== "" ? [assistant(line.say)] : [];
const system = (content: string) => ({ role: "system" as const, content });
const user = (content: string) => ({ role: "user" as const, content });
const assistant = (content: string) => ({ role: "assistant" as const, content });
