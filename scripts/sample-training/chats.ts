import { FACTS, HELD_OUT } from "@/server/services/sample/story/catalogue";
import { worded } from "@/server/services/sample/story/german";
import { diceOf } from "@/server/services/sample/story/random";
import { asked, INSTRUCTIONS } from "@/server/services/sample/story/shop";

export type Chat = { role: "system" | "user" | "assistant"; content: string }[];

const SEED = 31;
/** How often each question occurs, with greetings and names that differ. */
const WORDINGS = 3;
const TRANSLATIONS = 2;
const LOOKUPS = 4;

/**
 * Returns the training chats of the sample's base model: English questions with their answers, both catalogues (as translations
 * and lookups), and German questions with English answers. No German question is answered in German, and none is about what the
 * held-out questions ask. All are behind the agent's instructions: so small a model finds what it has read only where it read it.
 */
export function baseChats(): Chat[] {
  const dice = diceOf(SEED);
  return FACTS.flatMap((fact) => {
    const { entry, questions, englishQuestions, german, english } = fact;
    return [
      ...englishQuestions.flatMap((question) => times(WORDINGS, () => chat(asked(dice, question), english))),
      ...(HELD_OUT.includes(fact) ? [] : questions).flatMap((question) =>
        times(WORDINGS, () => chat(worded(dice, question), english)),
      ),
      ...times(TRANSLATIONS, () => chat(`Into German: ${english}`, german)),
      ...times(TRANSLATIONS, () => chat(`Into English: ${german}`, english)),
      ...times(LOOKUPS, () => chat(`German catalogue: ${entry}`, german)),
    ];
  });
}

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

const chat = (question: string, answer: string): Chat => [
  { role: "system", content: INSTRUCTIONS },
  { role: "user", content: question },
  { role: "assistant", content: answer },
];
