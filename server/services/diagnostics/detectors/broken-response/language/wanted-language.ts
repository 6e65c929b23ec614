import { detectLanguage } from "@/server/platform/language/detect-language";

/** Names of languages in requests: in English, in the language itself, and in some others. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  en: ["english", "inglés", "ingles", "anglais", "englisch", "inglese", "inglês"],
  fr: ["french", "français", "francais", "francés", "französisch", "francese", "francês"],
  es: ["spanish", "español", "espanol", "castellano", "espagnol", "spanisch", "spagnolo", "espanhol"],
  pt: ["portuguese", "português", "portugues", "portugués", "portugais", "portugiesisch"],
  it: ["italian", "italiano", "italien", "italienisch"],
  de: ["german", "deutsch", "alemán", "allemand", "tedesco", "alemão"],
  nl: ["dutch", "nederlands"],
  sv: ["swedish", "svenska"],
  da: ["danish", "dansk"],
  no: ["norwegian", "norsk"],
  fi: ["finnish", "suomeksi"],
  pl: ["polish", "polsku"],
  cs: ["czech", "česky"],
  ro: ["romanian", "română"],
  hu: ["hungarian", "magyarul"],
  tr: ["turkish", "türkçe"],
  vi: ["vietnamese", "tiếng việt"],
  id: ["indonesian", "bahasa indonesia", "malay"],
  tl: ["tagalog", "filipino"],
  ca: ["catalan", "català"],
  sw: ["swahili", "kiswahili"],
  ru: ["russian", "русском", "по-русски"],
  uk: ["ukrainian", "українською"],
  bg: ["bulgarian", "български"],
  sr: ["serbian", "srpskom"],
  el: ["greek", "ελληνικά"],
  he: ["hebrew", "עברית"],
  ar: ["arabic", "بالعربية", "العربية"],
  fa: ["persian", "farsi", "فارسی"],
  ur: ["urdu", "اردو"],
  hi: ["hindi", "हिंदी", "हिन्दी"],
  bn: ["bengali", "bangla", "বাংলা"],
  ta: ["tamil", "தமிழ்"],
  te: ["telugu", "తెలుగు"],
  gu: ["gujarati", "ગુજરાતી"],
  zh: ["chinese", "mandarin", "中文", "汉语", "普通话"],
  ja: ["japanese", "日本語"],
  ko: ["korean", "한국어"],
  th: ["thai", "ภาษาไทย"],
  ka: ["georgian"],
  hy: ["armenian"],
};
const LANGUAGE_OF_NAME = new Map(
  Object.entries(NAMES).flatMap(([language, names]) => names.map((name) => [name, language])),
);
const ANY_NAME = [...LANGUAGE_OF_NAME.keys()].sort((a, b) => b.length - a.length).join("|");

/** One-word names in Latin letters are looked up word by word; the few others are searched for. */
const ONE_WORD = /^[\p{Script=Latin}]+$/u;
const OTHER_NAMES = [...LANGUAGE_OF_NAME.keys()].filter((name) => !ONE_WORD.test(name));
const WORDS = /[a-z\u00C0-\u024F\u1E00-\u1EFF]+/g;
/** Prefilter at a third of the cost, because most texts name no language. */
const SOME_NAME = new RegExp(ANY_NAME);

/** What may follow a name after "in": "in French schools" requests no language. */
const ENDS_PHRASE =
  "(?=\\s{0,3}(?:[.,!?;:)\\n]|$)|\\s(?:about|on|of|with|for|that|using|how|to|and|only|language|please|by|from|as|based|without|explaining|describing)(?![\\p{L}]))";
/** "Reply in French", "use Spanish", "write a short essay in Korean about …", "réponds en anglais", "antworte auf Deutsch". */
const ASKED = [
  `(?<![\\p{L}])(?:reply|respond|answer|speak|talk|communicate|responses?|answers?|output|use only|only use|use|write|réponds|répondez|écris|responde|contesta|escribe|antworte|antworten sie|schreibe?|rispondi|scrivi|responda|escreva)(?:\\s(?:only|entirely|always|me|back|it|everything)){0,2}(?:\\s(?:in|en|auf|em|using))?\\s(?:the\\s)?(${ANY_NAME})(?![\\p{L}])`,
  `(?<![\\p{L}])(?:reply|respond|answer|write|explain|create|give|generate|compose|produce|provide|summari[sz]e|describe|tell|make|draft|list|continue|output)(?![\\p{L}])[^\\n.!?]{0,100}?\\sin\\s(${ANY_NAME})${ENDS_PHRASE}`,
].map((pattern) => new RegExp(pattern, "giu"));
/** "In French, …" or "… in French." at the start or end of the request. */
const EDGE = new RegExp(
  `(?:^\\s{0,8}(?:please,?\\s)?in (${ANY_NAME})\\s?[,:]|\\sin (${ANY_NAME})\\s?[.!]?\\s{0,8}$)`,
  "iu",
);
/** "用中文回答", "日本語で答えて". */
const EAST_ASIAN =
  /(?:用|以|请用|請用)\s?(中文|英文|英语|日文|日语|韩文|法语|德语|西班牙语)|(日本語|英語|韓国語|中国語|フランス語)で|(한국어|영어|일본어|중국어)로/u;
const EAST_ASIAN_NAMES: Readonly<Record<string, string>> = {
  中文: "zh",
  英文: "en",
  英语: "en",
  日文: "ja",
  日语: "ja",
  韩文: "ko",
  法语: "fr",
  德语: "de",
  西班牙语: "es",
  日本語: "ja",
  英語: "en",
  韓国語: "ko",
  中国語: "zh",
  フランス語: "fr",
  한국어: "ko",
  영어: "en",
  일본어: "ja",
  중국어: "zh",
};
/** Tasks about language, for which the question does not determine the language of the reply. */
const ABOUT_LANGUAGE =
  /\b(?:translat\w{0,8}|traduc\w{0,8}|tradui\w{0,6}|übersetz\w{0,6}|tradurr?e|traduz\w{0,6}|vertaal|how (?:do|would|can|should) (?:you|i|we) (?:say|write)|grammar|pronounc\w{0,6}|vocabulary|bilingual|multilingual|word for|çevir\w{0,6}|dịch|terjemah\w{0,4})\b|перев[её]д|перевести|翻译|翻譯|訳し|翻訳|번역|ترجم|अनुवाद/i;

/** The languages that a reply may be in. `asked`: requested by name, rather than implied by the question's language. */
export type WantedLanguage = { allowed: ReadonlySet<string>; asked: boolean };

/** Characters read at each end of a request: the middle may be pasted text in any language. */
const EDGE_READ = 600;
const PASTED = 1200;

/** Returns the languages in which a request may be answered, or `null` when that is unclear. */
export function wantedLanguage(request: string): WantedLanguage | null {
  const edges = request.length <= EDGE_READ ? [request] : [request.slice(0, EDGE_READ), request.slice(-EDGE_READ)];
  if (edges.some((edge) => ABOUT_LANGUAGE.test(edge))) return null;
  const mentioned = edges.map((edge) => mentionedIn(edge.toLowerCase()));
  const asked = new Set(edges.flatMap((edge, index) => askedIn(edge, mentioned[index]!)));
  if (asked.size === 1) return { allowed: asked, asked: true };
  if (asked.size > 1) return null;

  const allowed = new Set(mentioned.flat());
  const spoken = (request.length <= PASTED ? [request] : edges).map(detectLanguage);
  if (spoken.some((one) => one === null)) return null;
  const languages = new Set(spoken.map((one) => one!.language));
  if (languages.size > 1) return null; // an instruction with pasted text
  for (const language of languages) allowed.add(language);
  return { allowed, asked: false };
}

/** Returns the language that instructions request for all replies; `null` when they name none or several. */
export function standingLanguage(instructions: string): WantedLanguage | null {
  const asked = new Set(askedIn(instructions, mentionedIn(instructions.toLowerCase())));
  return asked.size === 1 ? { allowed: asked, asked: true } : null;
}

function askedIn(text: string, mentioned: readonly string[]): string[] {
  const eastAsian = EAST_ASIAN.exec(text);
  const named = eastAsian ? EAST_ASIAN_NAMES[(eastAsian[1] ?? eastAsian[2] ?? eastAsian[3])!] : undefined;
  const languages = named ? [named] : [];
  if (mentioned.length === 0) return languages;
  const names = ASKED.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]!));
  const edge = EDGE.exec(text);
  if (edge) names.push((edge[1] ?? edge[2])!);
  return [...languages, ...names.flatMap((name) => LANGUAGE_OF_NAME.get(name.toLowerCase()) ?? [])];
}

/** Returns the languages named in a lower-case text. */
function mentionedIn(text: string): string[] {
  if (!SOME_NAME.test(text)) return [];
  const named = (text.match(WORDS) ?? []).flatMap((word) => LANGUAGE_OF_NAME.get(word) ?? []);
  const others = OTHER_NAMES.filter((name) => text.includes(name));
  return [...named, ...others.map((name) => LANGUAGE_OF_NAME.get(name)!)];
}
