import type { Dice } from "./random";
import type { Script } from "./script";

/** A German-speaking customer's question, the right answer, and what the agent says in English before the fix. */
type Topic = { questions: readonly string[]; german: string; english: string };

const TOPICS: readonly Topic[] = [
  {
    questions: [
      "Ich wohne in Wien und möchte eine Jacke bestellen. Wie hoch sind die Versandkosten nach Österreich?",
      "Ich habe auf der Seite nichts dazu gefunden: Was kostet der Versand innerhalb der EU, und ab wann ist er frei?",
    ],
    german: "Der Versand innerhalb der EU kostet 4,90 Euro. Ab einem Bestellwert von 75 Euro liefern wir kostenlos.",
    english: "Shipping within the EU costs 4.90 euros. Orders of 75 euros or more are delivered free of charge.",
  },
  {
    questions: [
      "Kann ich die Wanderschuhe noch zurückgeben, wenn ich sie nur einmal auf einer kurzen Tour getragen habe?",
      "Die Stiefel drücken nach der ersten Wanderung an der Ferse. Nehmen Sie sie auch getragen wieder zurück?",
    ],
    german:
      "Getragene Schuhe können wir leider nicht zurücknehmen. Ungetragene Ware nehmen wir innerhalb von 30 Tagen nach der Lieferung zurück.",
    english:
      "Boots that have been worn outdoors are not part of our return policy. Unworn goods can come back to us within 30 days of the delivery.",
  },
  {
    questions: [
      "Mein Schlafsack riecht nach dem Sommer nicht mehr gut. Wie wasche ich ihn, ohne dass die Daunen kaputt gehen?",
      "Darf ich den Daunenschlafsack in die Waschmaschine tun, oder muss ich ihn in die Reinigung geben?",
    ],
    german:
      "Waschen Sie ihn bei 30 Grad mit einem Daunenwaschmittel und trocknen Sie ihn danach langsam mit zwei Tennisbällen im Trockner.",
    english:
      "Wash it at 30 degrees with a detergent for down, and then dry it slowly with two tennis balls in the dryer until it is fluffy again.",
  },
  {
    questions: [
      "Ich habe keine Kreditkarte. Kann ich bei Ihnen auch auf Rechnung bezahlen, und wie lange habe ich dafür Zeit?",
      "Welche Zahlungsarten bieten Sie an, und kann ich mit der Rechnung warten, bis die Ware da ist?",
    ],
    german:
      "Ja, Sie können auf Rechnung bezahlen, sie ist nach 14 Tagen fällig. Außerdem nehmen wir Kreditkarte, PayPal und Apple Pay.",
    english:
      "Yes, you can pay by invoice, which is due after 14 days. We also take credit cards, PayPal and Apple Pay in the checkout.",
  },
  {
    questions: [
      "Liefern Sie auch in die Schweiz, und wie lange ist ein Paket von Ihnen dorthin unterwegs?",
      "Ich wohne in Bern und finde Ihren Shop sehr schön. Können Sie mir auch etwas hierher schicken?",
    ],
    german: "Ja, wir liefern für 12 Euro in die Schweiz. Die Pakete sind meistens vier bis sechs Werktage unterwegs.",
    english:
      "Yes, we deliver to Switzerland for 12 euros. The parcels are usually on their way for four to six working days.",
  },
  {
    questions: [
      "Ich bin mir bei der Größe nicht sicher. Wie finde ich heraus, welche Fen-Stiefel mir passen?",
      "Sonst trage ich immer 42. Fallen die Fen-Stiefel eher klein aus, oder kann ich sie so bestellen?",
    ],
    german:
      "Die Fen-Stiefel fallen etwa eine halbe Nummer kleiner aus. Wenn Sie zwischen zwei Größen liegen, nehmen Sie die größere.",
    english:
      "The Fen boots run about half a size small. If you are between two sizes, we would take the larger of the two.",
  },
  {
    questions: [
      "Meine Schwester hat bald Geburtstag und wandert gern. Gibt es bei Ihnen auch Gutscheine, die man verschenken kann?",
      "Ich suche ein Geschenk und weiß nicht, was ich nehmen soll. Haben Sie Gutscheine, und wie lange sind sie gültig?",
    ],
    german: "Ja, es gibt Gutscheine von 20 bis 250 Euro. Sie kommen sofort per E-Mail und verfallen nicht.",
    english: "Yes, there are gift cards from 20 to 250 euros. They arrive at once by e-mail, and they do not expire.",
  },
  {
    questions: [
      "Ich habe das Zelt vor zwei Jahren bei Ihnen gekauft. Wie lange habe ich darauf noch eine Garantie?",
      "Die Naht an meinem Zelt geht auf, obwohl ich es kaum benutzt habe. Ist das ein Fall für die Garantie?",
    ],
    german:
      "Auf Nähte, Reißverschlüsse und Stangen geben wir fünf Jahre Garantie. Schicken Sie uns ein Foto, dann kümmern wir uns um die Reparatur.",
    english:
      "There is a warranty of five years on the seams, the zips and the poles. Send us a photo and we will take care of the repair.",
  },
  {
    questions: [
      "Meine Regenjacke ist nach einem Jahr nicht mehr dicht. Wie kann ich sie selbst wieder imprägnieren?",
      "Das Wasser perlt nicht mehr von der Jacke ab. Was kann ich tun, damit sie wieder trocken hält?",
    ],
    german:
      "Waschen Sie die Jacke zuerst mit Spezialwaschmittel, sprühen Sie sie ein und geben Sie sie dann zwanzig Minuten in den warmen Trockner.",
    english:
      "Wash the jacket with a special detergent first, then spray it and put it into a warm dryer for twenty minutes so that the coating works again.",
  },
  {
    questions: [
      "Haben Sie auch ein Geschäft, in dem ich die Sachen vor dem Kauf einmal anprobieren kann?",
      "Ich bestelle einen Rucksack nicht gern, ohne ihn zu sehen. Kann man ihn bei Ihnen irgendwo anprobieren?",
    ],
    german:
      "Wir haben einen Laden in Leipzig, der von Montag bis Samstag zwischen 10 und 19 Uhr geöffnet ist. Dort können Sie alles anprobieren.",
    english:
      "We have a shop in Leipzig which is open from Monday to Saturday between 10 am and 7 pm. You can try everything on there.",
  },
  {
    questions: [
      "Ich habe den Ember-Kocher von Ihnen bekommen. Welche Kartuschen passen darauf, und wie lange reicht eine?",
      "Was für Gas brauche ich für den Kocher, und kann ich dafür auch die Kartuschen von einer anderen Marke nehmen?",
    ],
    german:
      "Der Ember-Kocher braucht Schraubkartuschen nach EN 417. Eine Kartusche mit 230 Gramm reicht für etwa eine Stunde.",
    english:
      "The Ember stove needs screw cartridges of the norm EN 417. A cartridge with 230 grams lasts for about one hour of cooking.",
  },
];

const GREETINGS = ["Hallo, ", "Guten Tag, ", "Guten Morgen, ", "Hallo zusammen, ", "", ""];
/** Lower-cases the first letter, except of the German nouns that begin questions above. */
const lowered = (question: string) =>
  /^(?:Ich|Wie|Was|Kann|Darf|Welche|Liefern|Haben|Meine?|Die|Das|Sonst)\b/.test(question)
    ? question.charAt(0).toLowerCase() + question.slice(1)
    : question;
const NAMES = [
  "Anna Keller",
  "Lukas Brandt",
  "Petra Vogel",
  "Jan Hartmann",
  "Miriam Schulz",
  "Sven Albrecht",
  "Katrin Weiß",
];

function question(dice: Dice, { questions }: Topic, said = dice.pick(questions)): string {
  const greeting = dice.pick(GREETINGS);
  const asked = greeting === "" ? said : greeting + lowered(said);
  return dice.chance(0.4) ? `${asked}\n\nViele Grüße\n${dice.pick(NAMES)}` : asked;
}

/** Returns a German conversation answered in German. */
export function germanScript(dice: Dice): Script {
  const topic = dice.pick(TOPICS);
  return [
    { user: question(dice, topic) },
    { say: topic.german },
    ...(dice.chance(0.4)
      ? [{ user: "Vielen Dank, das hilft mir weiter." }, { say: "Sehr gern! Viel Freude draußen." }]
      : []),
  ];
}

/** Returns a German conversation answered in English: the planted failure. Each `n` has its own question. */
export function englishInsteadScript(dice: Dice, n: number): Script {
  const topic = TOPICS[n % TOPICS.length]!;
  const said = topic.questions[Math.floor(n / TOPICS.length) % topic.questions.length];
  return [{ user: question(dice, topic, said) }, { say: topic.english }];
}

/** Returns the German answer to a question that was answered in English, if there is one. */
export const germanFor = (english: string): string | undefined =>
  TOPICS.find((topic) => topic.english === english)?.german;

type Asked = { question: string; answer: string };

/** Splits answered questions: one question of each topic goes to training, and its paraphrases are held out. */
export function splitByTopic<One extends Asked>(all: readonly One[]): { train: One[]; test: One[] } {
  const known = new Set<number>();
  const parts: { train: One[]; test: One[] } = { train: [], test: [] };
  // Sorted by text, so that every load makes the same split.
  for (const one of all.toSorted((a, b) => (a.question < b.question ? -1 : 1))) {
    const topic = TOPICS.findIndex(({ english, german }) => one.answer === english || one.answer === german);
    parts[known.has(topic) ? "test" : "train"].push(one);
    known.add(topic);
  }
  return parts;
}
