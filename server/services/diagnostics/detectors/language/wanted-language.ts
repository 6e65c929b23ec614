import { detectLanguage } from "./detect-language";

/** Names by which people ask for a language: in English, and in the language itself. */
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
const LANGUAGE_OF_NAME = new Map(Object.entries(NAMES).flatMap(([language, names]) => names.map((name) => [name, language])));
const ANY_NAME = [...LANGUAGE_OF_NAME.keys()].sort((a, b) => b.length - a.length).join("|");

const MENTION = new RegExp(`(?<![\\p{L}])(?:${ANY_NAME})(?![\\p{L}])`, "giu");
/** "Reply in French", "use Spanish", "answer only in German", "réponds en anglais", "antworte auf Deutsch". */
const ASKED = new RegExp(
  "(?<![\\p{L}])(?:reply|respond|answer|write|speak|talk|communicate|responses?|answers?|output|generate|compose|produce|" +
    "use only|only use|use|réponds|répondez|écris|responde|contesta|escribe|antworte|antworten sie|schreibe?|rispondi|scrivi|" +
    `responda|escreva)(?![\\p{L}])(?:[^\\n.!?]{0,40}?\\s(?:in|en|auf|em|using|entirely in|only in))?\\s(?:the\\s)?(${ANY_NAME})(?![\\p{L}])`,
  "giu",
);
/** "In French, …", "… in French." at the edge of the request; "用中文回答", "日本語で答えて". */
const EDGE = new RegExp(`(?:^\\s{0,8}(?:please,?\\s)?in (${ANY_NAME})\\s?[,:]|\\sin (${ANY_NAME})\\s?[.!]?\\s{0,8}$)`, "iu");
const EAST_ASIAN = /(?:用|以|请用|請用)\s?(中文|英文|英语|日文|日语|韩文|法语|德语|西班牙语)|(日本語|英語|韓国語|中国語|フランス語)で|(한국어|영어|일본어|중국어)로/u;
const EAST_ASIAN_NAMES: Readonly<Record<string, string>> = {
  中文: "zh", 英文: "en", 英语: "en", 日文: "ja", 日语: "ja", 韩文: "ko", 法语: "fr", 德语: "de", 西班牙语: "es",
  日本語: "ja", 英語: "en", 韓国語: "ko", 中国語: "zh", フランス語: "fr", 한국어: "ko", 영어: "en", 일본어: "ja", 중국어: "zh",
};
/** Work on language itself: what language the answer should be in cannot be told from the question. */
const ABOUT_LANGUAGE =
  /\b(?:translat\w{0,8}|traduc\w{0,8}|tradui\w{0,6}|übersetz\w{0,6}|tradurr?e|traduz\w{0,6}|vertaal|how (?:do|would|can) (?:you|i|we) say|mean(?:s|ing)?|grammar|pronounce|vocabulary|learn(?:ing)?|teach|lesson|bilingual|multilingual|word for|çevir|dịch|terjemah\w{0,4})\b|перев[её]д|перевести|翻译|翻譯|訳し|翻訳|번역|ترجم|अनुवाद/iu;

/** Which languages an answer may be in. `asked`: by name, rather than by the language of the question. */
export type WantedLanguage = { allowed: ReadonlySet<string>; asked: boolean };

/** Characters at each end of a request: what is between may be pasted from elsewhere, in any language. */
const EDGE_READ = 600;
const PASTED = 1200;

/** What language a request wants its answer in, or `null` where it cannot be told. */
export function wantedLanguage(request: string): WantedLanguage | null {
  const [head, tail] = [request.slice(0, EDGE_READ), request.slice(-EDGE_READ)];
  const asked = new Set([...askedIn(head), ...askedIn(tail)]);
  if (ABOUT_LANGUAGE.test(head) || ABOUT_LANGUAGE.test(tail)) return null;
  if (asked.size === 1) return { allowed: asked, asked: true };
  if (asked.size > 1) return null;

  const allowed = new Set(mentionedIn(head.toLowerCase()));
  for (const language of mentionedIn(tail.toLowerCase())) allowed.add(language);
  const spoken = request.length <= PASTED ? [detectLanguage(request)] : [detectLanguage(head), detectLanguage(tail)];
  if (spoken.some((one) => one === null)) return null;
  const languages = new Set(spoken.map((one) => one!.language));
  if (languages.size > 1) return null; // pasted text beside an instruction
  for (const language of languages) allowed.add(language);
  return { allowed, asked: false };
}

function askedIn(text: string): string[] {
  const names = [...text.matchAll(ASKED)].map((match) => match[1]!);
  const edge = EDGE.exec(text);
  if (edge) names.push((edge[1] ?? edge[2])!);
  const languages = names.flatMap((name) => LANGUAGE_OF_NAME.get(name.toLowerCase()) ?? []);
  const eastAsian = EAST_ASIAN.exec(text);
  const named = eastAsian ? EAST_ASIAN_NAMES[(eastAsian[1] ?? eastAsian[2] ?? eastAsian[3])!] : undefined;
  return named ? [...languages, named] : languages;
}

const mentionedIn = (text: string) => [...text.matchAll(MENTION)].flatMap(([name]) => LANGUAGE_OF_NAME.get(name) ?? []);
