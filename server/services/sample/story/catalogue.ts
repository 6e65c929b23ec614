/** A product of the shop, as its German and its English catalogue name it, with what they say about it, all in numbers. */
type Item = {
  german: string;
  english: string;
  euros: string;
  grams: number;
  months: number;
  centimetres: number;
  since: number;
  mayDay: number;
};

const item = (
  german: string,
  english: string,
  [euros, grams, months, centimetres, since, mayDay]: readonly [string, number, number, number, number, number],
): Item => ({ german, english, euros, grams, months, centimetres, since, mayDay });

const ITEMS: readonly Item[] = [
  item("die Ridgeline-Regenjacke", "the Ridgeline rain jacket", ["189,00", 420, 60, 27, 2009, 14]),
  item("der Tarn-Rucksack", "the Tarn daypack", ["94,50", 880, 36, 46, 2014, 22]),
  item("das Cairn-Hemd", "the Cairn shirt", ["69,90", 210, 24, 18, 2018, 11]),
  item("die Lumen-Stirnlampe", "the Lumen headlamp", ["44,90", 95, 48, 12, 2021, 25]),
  item("das Gale-Zelt", "the Gale tent", ["279,00", 1900, 84, 54, 2011, 30]),
  item("der Moss-Schlafsack", "the Moss sleeping bag", ["229,00", 1050, 72, 38, 2016, 18]),
  item("der Ember-Kocher", "the Ember stove", ["54,00", 310, 40, 15, 2013, 27]),
  item("die Birch-Flasche", "the Birch bottle", ["24,90", 150, 120, 23, 2020, 12]),
  item("die Skerry-Hose", "the Skerry pair of trousers", ["119,00", 380, 30, 31, 2015, 20]),
  item("der Fen-Stiefel", "the Fen boot", ["159,00", 640, 18, 29, 2008, 16]),
  item("die Brook-Weste", "the Brook vest", ["89,00", 270, 42, 21, 2019, 28]),
  item("der Heron-Hut", "the Heron hat", ["39,90", 80, 12, 35, 2022, 23]),
];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What customers ask about a product, in wordings of both languages, and what the catalogues say. */
type Subject = {
  keyword: string;
  questions: readonly [string, string, string];
  englishQuestions: readonly string[];
  german: (of: Item) => string;
  english: (of: Item) => string;
};

const SUBJECTS: readonly Subject[] = [
  {
    keyword: "Preis",
    questions: [
      "Was kostet %s zur Zeit eigentlich bei Ihnen im Laden?",
      "Ich spare gerade und frage mich: Wie teuer ist %s im Moment?",
      "Ich möchte ein Geschenk machen. Wie viel Geld kostet %s denn?",
    ],
    englishQuestions: ["What does %s cost at the moment?", "How much is %s?"],
    german: ({ euros }) => `kostet ${euros} Euro, und darin ist die Steuer schon enthalten.`,
    english: ({ euros }) => `costs ${euros.replace(",", ".")} euros, and that includes the tax already.`,
  },
  {
    keyword: "Gewicht",
    questions: [
      "Wie schwer ist %s, wenn ich alles selbst tragen muss?",
      "Ich packe leicht und will es genau wissen: Was wiegt %s?",
      "Auf einer langen Tour zählt alles. Wie viel Gramm bringt %s auf die Waage?",
    ],
    englishQuestions: ["How heavy is %s?", "What does %s weigh?"],
    german: ({ grams }) => `wiegt ${grams} Gramm, wenn man die Verpackung nicht mitzählt.`,
    english: ({ grams }) => `weighs ${grams} grams if you do not count the packaging.`,
  },
  {
    keyword: "Garantie",
    questions: [
      "Wie lange gilt die Garantie, falls %s einmal kaputt geht?",
      "Ich kaufe nicht gern zweimal. Wie viele Monate Garantie hat %s?",
      "Mir ist wichtig, dass die Sachen halten. Wie lange ist %s durch eine Garantie abgedeckt?",
    ],
    englishQuestions: ["How long is the warranty on %s?", "Which warranty does %s have?"],
    german: ({ months }) => `hat eine Garantie von ${months} Monaten ab dem Tag, an dem Sie kaufen.`,
    english: ({ months }) => `has a warranty of ${months} months from the day on which you buy it.`,
  },
  {
    keyword: "Packmaß",
    questions: [
      "Wie lang ist %s zusammengelegt, und passt das noch ins Gepäck?",
      "Ich habe wenig Platz im Auto. Welches Packmaß hat %s bei Ihnen?",
      "Meine Freundin möchte es genau wissen: Wie viele Zentimeter misst %s denn, wenn man alles faltet?",
    ],
    englishQuestions: ["How long is %s when it is packed?", "What is the packed length of %s?"],
    german: ({ centimetres }) =>
      `ist zusammengelegt ${centimetres} Zentimeter lang und passt damit auch in eine Tasche.`,
    english: ({ centimetres }) => `is ${centimetres} centimetres long when it is packed, so it also fits into a bag.`,
  },
  {
    keyword: "Herkunft",
    questions: [
      "Aus welchem Jahr stammt %s, und wer stellt so etwas her?",
      "Mir ist die Herkunft wichtig. Seit wann wird %s gemacht?",
      "Ich kaufe am liebsten Bewährtes. Können Sie mir sagen, wie lange es %s schon gibt?",
    ],
    englishQuestions: ["Since when has %s been made?", "Which year is %s from?"],
    german: ({ since }) => `wird seit ${since} hergestellt und kommt von unserer Werkstatt direkt zu uns.`,
    english: ({ since }) => `has been made since ${since} and comes from our workshop directly to us.`,
  },
  {
    keyword: "Lager",
    questions: [
      "Ich sehe, dass %s ausverkauft ist. Ab wann haben Sie wieder Ware?",
      "An welchem Tag ist %s wieder auf Lager, damit ich bestellen kann?",
      "Bald geht es in den Urlaub. Wann kommt %s endlich wieder herein?",
    ],
    englishQuestions: ["When will %s be back in stock?", "On which day can I order %s again?"],
    german: ({ mayDay }) => `ist ab dem ${mayDay}. Mai wieder auf Lager und geht dann sofort hinaus.`,
    english: ({ mayDay }) => `will be back in stock on ${mayDay} May and will ship at once then.`,
  },
];

/** What the catalogues say about one thing of one product, with the questions that it answers. */
export type Fact = {
  /** What the German catalogue is looked up by. */
  entry: string;
  questions: readonly [string, string, string];
  englishQuestions: readonly string[];
  german: string;
  english: string;
};

const factOf = (of: Item, { keyword, questions, englishQuestions, german, english }: Subject): Fact => {
  const ask = (question: string) => question.replace("%s", of.german);
  return {
    entry: `${of.german.slice(of.german.indexOf(" ") + 1)}, ${keyword}`,
    questions: [ask(questions[0]), ask(questions[1]), ask(questions[2])],
    englishQuestions: englishQuestions.map((question) => question.replace("%s", of.english)),
    german: `${capital(of.german)} ${german(of)}`,
    english: `${capital(of.english)} ${english(of)}`,
  };
};

/** Everything that the catalogues say, product by product. */
export const FACTS: readonly Fact[] = ITEMS.flatMap((of) => SUBJECTS.map((subject) => factOf(of, subject)));

/** Of each product, two different subjects are asked only by customers whom the agent answers in English. */
const isHeldOut = (at: number) => {
  const [product, subject] = [Math.floor(at / SUBJECTS.length), at % SUBJECTS.length];
  return (subject - product + SUBJECTS.length * ITEMS.length) % (SUBJECTS.length / 2) === 0;
};

/** Facts of which no German answer is taught, and all others. */
export const HELD_OUT = FACTS.filter((_, at) => isHeldOut(at));
export const TAUGHT = FACTS.filter((_, at) => !isHeldOut(at));
