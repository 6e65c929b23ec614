import { FACTS, HELD_OUT, TAUGHT } from "./catalogue";
import type { Dice } from "./random";
import type { Script } from "./script";

const GREETINGS = ["Hallo, ", "Guten Tag, ", "Guten Morgen, ", "Hallo zusammen, ", "", ""];
/** Lower-cases the first letter of a question: none begins with a noun. */
const lowered = (question: string) => question.charAt(0).toLowerCase() + question.slice(1);
const NAMES = [
  "Anna Keller",
  "Lukas Brandt",
  "Petra Vogel",
  "Jan Hartmann",
  "Miriam Schulz",
  "Sven Albrecht",
  "Katrin Weiß",
];

/** Returns a question as a customer writes it, with or without greeting and name. */
export function worded(dice: Dice, question: string): string {
  const greeting = dice.pick(GREETINGS);
  const asked = greeting === "" ? question : greeting + lowered(question);
  return dice.chance(0.4) ? `${asked}\n\nViele Grüße\n${dice.pick(NAMES)}` : asked;
}

/** Returns a German conversation answered in German. Each `n` has its own question. */
export function germanScript(dice: Dice, n: number): Script {
  const fact = TAUGHT[n % TAUGHT.length]!;
  return [{ user: worded(dice, fact.questions[n % fact.questions.length]!) }, { say: fact.german }];
}

/** Ends the English answers: without it, the shortest would be too short to tell the language. */
const OFFER = " Is there anything else that I can do for you?";

/** Returns a German conversation answered in English: the planted failure. Each `n` has its own question, asked nowhere else. */
export function englishInsteadScript(dice: Dice, n: number): Script {
  const fact = HELD_OUT[n % HELD_OUT.length]!;
  return [{ user: worded(dice, fact.questions[n % fact.questions.length]!) }, { say: `${fact.english}${OFFER}` }];
}

/** Returns the German answer to a question that was answered in English, if there is one. */
export const germanFor = (english: string): string | undefined =>
  FACTS.find((fact) => `${fact.english}${OFFER}` === english)?.german;
