/**
 * Phrases with which an assistant declines. Each pattern reads only the few hundred characters that `refusals.ts` passes, and
 * its gaps are bounded, so that no text makes it slow.
 */

const HELP =
  "assist|help|comply|fulfil|provide|answer|discuss|support|engage|create|generate|write|give|offer|participate|recommend|promote|encourage|condone|advise|do that|do this|share|produce|explain|describe|endorse|facilitate|guide|satisfy|respond|accommodate|perform|carry out|instruct|teach|in good conscience|be able to|play along|roleplay|speculate|tell you how|show you how|continue";
const UNABLE =
  "can't|cannot|can not|couldn't|could not|won't|will not|unable to|not able to|not going to|(?:must|have to|need to) (?:respectfully |politely )?decline to|refuse to|decline to|prohibited from|not allowed to|not permitted to|not programmed to|not designed to|not comfortable|do(?:n't| not) feel comfortable|do(?:n't| not)";

/** "I can't help with that": states that it declines. */
const EXPLICIT_ENGLISH = new RegExp(
  `\\bi(?:'m| am)?(?: really| simply| just| therefore| also| still)? (?:${UNABLE})(?: with| to| also| actually| directly| really| ethically| legally){0,2} (?:${HELP})`,
  "i",
);
const EXPLICIT_SHORT_ENGLISH =
  /\bi(?:'m| am)? (?:sorry|afraid)[,.]? ?(?:but )?(?:i )?(?:can't|cannot|won't)(?: do that| help| assist|\.|,)|\bi (?:must|have to|will have to) (?:respectfully |politely )?(?:decline|refuse)\b|\b(?:can't|cannot|unable to|not able to) (?:fulfil|comply with|assist with|help with) (?:that|this|your|the) ?(?:request|question|prompt)?/i;

/** "It is not appropriate", "against my guidelines": occurs in refusals and in advice. */
const MORAL_ENGLISH =
  /\b(?:(?:not|never) (?:\w+ )?(?:appropriate|ethical|acceptable|respectful|accurate|okay|legal|safe|right|best|morally|justified)|inappropriate|unethical|illegal|unlawful|harmful|against the law|against my|(?:as|am) an? (?:\w+ ){0,2}(?:ai|language model)\b|my (?:guidelines|programming|purpose|policies)|content polic|not condone|n't condone|n't think it(?:'s| is)|not think it is|should (?:not|never) be|(?:must|need to) (?:point out|emphasi[sz]e|advise|clarify|stress|inform)|strongly (?:advise|urge|condemn)|no inherent|cannot condone)/i;
/** "Sorry", "unable": occurs in refusals, and more often when, for example, a shop is out of stock. */
const HINT_ENGLISH =
  /\b(?:can't|cannot|can not|unable|won't|not able|not comfortable|decline|refuse|sorry|apologi[sz]e|not have access|an ai)\b/i;

/** The same in other languages, matched by the first words for speed, then by what is declined. */
const FOREIGN = new RegExp(
  [
    // German
    "\\bich (?:kann|darf|werde|möchte|bin)\\b[^.!?\\n]{0,80}?\\b(?:nicht|keine[nrs]?)\\b[^.!?\\n]{0,120}?(?:helfen|unterstützen|beantworten|bereitstellen|anbieten|geben|nachkommen|erfüllen|erstellen|schreiben|verfassen|erklären|fortfahren|teilen|bieten|dienen|in der lage)",
    "\\b(?:dabei|das|damit|dazu|darüber|hierbei) (?:kann|darf|werde|möchte) ich\\b[^.!?\\n]{0,40}?\\b(?:nicht|keine[nrs]?)\\b[^.!?\\n]{0,60}?(?:helfen|unterstützen|beantworten|dienen|geben|machen|sprechen|äußern)",
    // French
    "\\bje (?:ne (?:peux|puis|pourrai|vais|suis)|n'ai pas le droit|refuse|dois refuser|dois décliner)\\b[^.!?\\n]{0,70}?(?:aider|fournir|répondre|donner|assister|créer|générer|rédiger|écrire|expliquer|satisfaire|proposer|partager|poursuivre|encourager|accéder à)",
    // Spanish
    "\\bno (?:puedo|podría|podré|me es posible|estoy en condiciones|soy capaz|me siento)\\b[^.!?\\n]{0,60}?(?:ayudar|proporcionar|responder|ofrecer|dar|brindar|asistir|crear|generar|escribir|cumplir|facilitar|explicar|compartir|participar|continuar|apoyar)",
    // Italian
    "\\bnon (?:posso|potrei|sono in grado|mi è possibile)\\b[^.!?\\n]{0,60}?(?:aiutar|fornir|risponder|assister|crear|generar|scriver|offrir|darti|darle|dare |soddisfare|spiegar|condivider|continuare)",
    // Portuguese
    "\\bnão (?:posso|poderia|consigo|sou capaz|me é possível)\\b[^.!?\\n]{0,60}?(?:ajudar|ajudá|fornecer|responder|oferecer|dar |criar|gerar|escrever|auxiliar|atender|explicar|compartilhar|participar|continuar)",
    // Dutch, Polish, Turkish, Indonesian, Vietnamese
    "\\bik kan (?:je|u|hier|daar)[^.!?\\n]{0,40}?niet[^.!?\\n]{0,20}?(?:helpen|assisteren|geven)",
    "\\bnie mogę[^.!?\\n]{0,40}?(?:pomóc|udzielić|podać|dostarczyć|spełnić|stworzyć|napisać)",
    "(?:yardımcı|yardım|destek|bilgi)[^.!?\\n]{0,20}?(?:olamam|edemem|veremem|sağlayamam)",
    "\\bsaya tidak (?:dapat|bisa)[^.!?\\n]{0,30}?(?:membantu|memberikan|menjawab|menyediakan|membuat)",
    "\\btôi không thể[^.!?\\n]{0,30}?(?:giúp|hỗ trợ|cung cấp|trả lời|tạo)",
    // Russian, Arabic, Hindi
    "я не (?:могу|буду|в состоянии)[^.!?\\n]{0,50}?(?:помочь|помогать|предостав|ответить|создать|написать|дать|выполнить|поддерж|обсуждать)",
    "لا (?:أستطيع|يمكنني)[^.!?؟\\n]{0,30}?(?:مساعد|تقديم|الإجابة|توفير|إنشاء|كتابة)",
    "(?:मैं|मुझे)[^।\\n]{0,60}?(?:मदद|सहायता|जानकारी|उत्तर)[^।\\n]{0,30}?नहीं (?:कर|दे)",
    // Japanese, Chinese, Korean
    "(?:お手伝い|お答え|回答|提供|お応え|応じる|対応|支援|サポート|作成|説明|協力|お教え|共有|アドバイス)[^。\\n]{0,14}?(?:できません|できかね|いたしかね|致しかね|しかねます|ことはできない|お断り|控えさせて)",
    "(?:抱歉|对不起|對不起|遗憾|遺憾|我)[^。\\n]{0,12}?(?:无法|不能|無法|没法|不便|不会|不會|恕难)[^。\\n]{0,16}?(?:帮助|帮您|帮你|协助|提供|回答|满足|支持|生成|创作|编写|参与|讨论|给出|幫|協助|解答|配合|滿足)",
    "(?:도와\\s?드릴|도울|제공(?:해\\s?드릴|할)|답변(?:해\\s?드릴|드릴|할)|답해\\s?드릴|도움을\\s?드릴|알려\\s?드릴|작성(?:해\\s?드릴|할)|지원(?:해\\s?드릴|할)|응할)\\s?수\\s?(?:가|는)?\\s?없",
  ].join("|"),
  "i",
);
/** Prefilter: without one of these, the other languages are not tried. */
const FOREIGN_START =
  /\bich\b|\bje (?:ne|n'|ref|dois)|\bno (?:p|me|est|soy)|\bnon (?:p|s|m)|não |\bik kan|nie mog|yard|destek|bilgi|\bsaya t|tôi k|я не |لا |नहीं|ません|かね|ない|断り|控え|无|無|不|没|수|없/i;

/** What was found and where. Only `explicit` and `foreign` show on their own that the assistant declines. */
export type Decline = { start: number; end: number; kind: "explicit" | "foreign" | "moral" | "hint" };

/** Finds the first decline in the beginning of an answer. */
export function findDecline(head: string): Decline | null {
  const plain = head.includes("’") ? head.replaceAll("’", "'") : head;
  const hint = HINT_ENGLISH.exec(plain);
  const explicit = hint && (EXPLICIT_ENGLISH.exec(plain) ?? EXPLICIT_SHORT_ENGLISH.exec(plain));
  if (explicit) return found(plain, explicit, "explicit");
  const moral = MORAL_ENGLISH.exec(plain);
  if (moral) return found(plain, moral, "moral");
  if (hint) return found(plain, hint, "hint");
  const foreign = FOREIGN_START.test(plain) ? FOREIGN.exec(plain) : null;
  return foreign && found(plain, foreign, "foreign");
}

function found(text: string, match: RegExpExecArray, kind: Decline["kind"]): Decline | null {
  return isQuoted(text, match.index) ? null : { start: match.index, end: match.index + match[0].length, kind };
}

/** Returns whether a position is between quotation marks, where someone else's refusal is quoted. */
function isQuoted(text: string, at: number): boolean {
  let open = false;
  for (let index = 0; index < at; index++) {
    const character = text[index]!;
    if (character === '"') open = !open;
    else if (character === "“" || character === "„" || character === "«" || character === "「") open = true;
    else if (character === "”" || character === "»" || character === "」") open = false;
    else if (character === "\n") open = false;
  }
  return open;
}

/** Why an assistant declines, by the wording of its answer. Refusals for the same reason are one Finding. */
const REASONS: readonly (readonly [reason: string, words: RegExp])[] = [
  [
    "to protect privacy",
    /\bpriva(?:te|cy)|personal (?:information|data|details)|confidential|datenschutz|vie privée|privacidad|プライバシー|个人信息|隐私|개인정보/i,
  ],
  ["as sexual", /\bsexual|\bexplicit content|pornograph|\bminors?\b|adult content/i],
  [
    "as discriminating",
    /discriminat|stereotyp|derogatory|offensive|racis|sexis|hateful|hate speech|respectful|prejudice|generali[sz]ation/i,
  ],
  [
    "as professional advice",
    /(?:medical|legal|financial|tax|investment) (?:advice|diagnos)|\bconsult (?:with )?an? (?:\w+ ){0,2}(?:doctor|physician|lawyer|attorney|advisor|professional)/i,
  ],
  ["as protected by copyright", /copyright|intellectual property|licensed material/i],
  [
    "as illegal or harmful",
    /\billegal|unlawful|\bharm|dangerous|violen|unsafe|criminal|weapon|drugs?\b|malicious|unethical|\bethical|suicid|safety|illegale?|gefährlich|dangereu|peligros|ilegal|違法|危険|有害|违法|危险|불법|위험/i,
  ],
  [
    "as outside its task",
    /\bonly (?:help|assist|answer|discuss|provide)|outside (?:of )?(?:my|the) (?:scope|area|expertise)|beyond (?:my|the) scope|not (?:designed|trained|programmed) (?:to|for)|unrelated to/i,
  ],
  [
    "by its rules",
    /guidelines|polic(?:y|ies)|as an? (?:\w+ ){0,2}(?:ai|language model|assistant)|programm(?:ing|ed)|terms of (?:use|service)|appropriate/i,
  ],
];

/** Returns the reason that an answer gives, or null. */
export const reasonIn = (head: string): string | null => REASONS.find(([, words]) => words.test(head))?.[0] ?? null;

/** States only that the assistant cannot know or access something. */
const INABILITY =
  /\b(?:do(?:n't| not)|does(?:n't| not)|not) have (?:\w+ )?(?:access|the (?:ability|capability)|real-time|personal (?:opinions|feelings|experiences|beliefs))|knowledge (?:cutoff|was last updated)|\b(?:can't|cannot|unable to|not able to) (?:access|browse|find|locate|open|see|view|read|verify|search|physically|directly access|feel|hear)/i;
export const isInability = (head: string): boolean => INABILITY.test(head);
