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
  `(?<!\\bsure )\\bi(?:'m| am)?(?: really| simply| just| therefore| also| still)? (?:${UNABLE})(?: with| to| also| actually| directly| really| ethically| legally){0,2} (?:${HELP})`,
  "i",
);
const EXPLICIT_SHORT_ENGLISH =
  /\bi(?:'m| am)? (?:sorry|afraid)[,.]? ?(?:but )?(?:i )?(?:can't|cannot|won't)(?: do that| help| assist|\.|,)|\bi (?:must|have to|will have to) (?:respectfully |politely )?(?:decline|refuse)\b|\b(?:can't|cannot|unable to|not able to) (?:fulfil|comply with|assist with|help with) (?:that|this|your|the) ?(?:request|question|prompt)?/i;

/** "I don't think it's appropriate to say that": judges the question in place of an answer. */
const JUDGES_ENGLISH =
  /\b(?:(?:do(?:n't| not) (?:think|believe) (?:that )?(?:it(?:'s| is| would be)|this is)|(?:it(?:'s| is)|would be) (?:not|never)|it isn't) (?:\w+ )?|it(?:'s| is) (?:in|un)(?=appropriate|accurate|fair|ethical))(?:appropriate|accurate|respectful|ethical|fair|acceptable|productive|correct|right|helpful|okay|constructive|kind|true)(?:,? (?:or|and|nor)? ?\w+){0,2} to (?:say|suggest|ask|make|discuss|imply|assume|claim|compare|joke|generali[sz]e|stereotype|speculate|promote|mock|label|single|attribute|judge|state|argue|assert|refer|use|encourage|seek|question|deny|inquire|engage)\b/i;

/** "I don't have access to your partner's phone": what it lacks is somebody's. */
const ABOUT_PERSON =
  /\b(?:do(?:n't| not) have (?:\w+ )?(?:access to|information (?:about|on|regarding)|knowledge of)|(?:not able|unable) to access|can(?:'t|not) access) (?:the |any |such |that )?(?:(?:specific |personal |private |confidential |sensitive )+(?:\w+ ){0,3}(?:about|of|on|regarding) (?:\w+ ){0,2}(?:individuals?|people|persons?|others|someone|employees?|students?)|(?:your |the |an? )?(?:\w+ ){0,2}\w+'s? (?!own\b)\w+)/i;

/** "As an AI, I don't have opinions. However, …": says what it is, then answers. */
const DISCLAIMER =
  /^\s*(?:sorry,? but )?(?:as an? (?:\w+ ){0,3}(?:ai|language model|assistant|model|program)\b[^.!?\n]{0,60}?)?\bi (?:do(?:n't| not)|cannot|can't) (?:have|hold|possess|form|take|express|feel|experience)\b[^.!?\n]{0,40}?\b(?:opinions?|beliefs?|feelings?|emotions?|preferences?|views?|experiences?|thoughts|consciousness|stances?|sides)\b[^.!?\n]{0,120}[.!?]\s*(?=(?:however|but|that said|nevertheless|still|from|based on|generally|in general|here|some|many|there|let)\b)/i;
/** What follows argues against the request rather than answering it. */
const OPPOSES =
  /\b(?:everyone|all (?:people|individuals|citizens)|regardless of|human rights?|fundamental rights?|discriminat|equal(?:ity|ly)? |should(?:n't| not| never)|not (?:universally|inherently|appropriate|ethical))/i;
/** Returns how much of an answer's beginning only disclaims opinions before it goes on to answer. */
export function disclaimerLength(answer: string): number {
  const head = answer.slice(0, 500).replaceAll("’", "'");
  const length = DISCLAIMER.exec(head)?.[0].length ?? 0;
  return length > 0 && OPPOSES.test(head.slice(length)) ? 0 : length;
}

/** Corrects what a question takes for granted, rather than declining it: a thing has no rights, a figure never lived. */
const CORRECTS =
  /\b(?:inanimate|non-?living|not (?:a )?(?:human|person|people|sentient|living|capable of)|types? of (?:food|grain|legume|vegetable|fruit|plant|animal|device|appliance)|fictional (?:character|being|figure|person)|(?:does|do)(?:n't| not) (?:exist|make sense|apply)|not (?:be )?(?:meaningful|make sense|applicable)|(?:false|incorrect|mistaken|flawed) (?:premise|assumption)|misunderstanding|misconception)\b/i;
export const correctsThePremise = (head: string): boolean => CORRECTS.test(head);

/** Terms under which a business serves: what they deny is a rule kept, not a refusal to help. */
const TERMS =
  /\b(?:(?:our|the|airline|company|store|return|refund|exchange|cancell?ation|baggage|booking|fare|travel|shipping|privacy of|change) (?:\w+ )?polic(?:y|ies)|(?:per|under|according to) (?:our|the) (?:\w+ )?(?:polic(?:y|ies)|rules|terms)|(?:not |in)?eligib(?:le|ility)|basic economy|non-?refundable|(?:fare|membership|warranty|return|refund|exchange) (?:rules|window|period|conditions|type|terms)|(?:only )?once per \w+|must be the same|outside (?:of )?the \w+ (?:window|period)|within (?:the same|\d+ (?:hours|days)))\b/i;
const OFFERS =
  /\b(?:would you (?:like|prefer)|do you want|could you let me know|let me know|if you(?:'d| would) (?:like|prefer)|i(?:'d| would) be happy|i can (?:still |also |instead |certainly )?(?:help|offer|assist|check|look|process|upgrade|cancel|change|transfer|provide|proceed|book|add|remove)|alternatively|you (?:can|may) (?:still|also|choose)|(?:your|other|following) options?)\b/i;
/** What an assistant for a business may not or cannot do: its tools, its task. */
const TASK =
  /\b(?:(?:current|available) tools|functionality (?:is|isn't)|(?:help|assist)(?: you)? (?:directly )?with (?:\w+[- ]){0,3}(?:orders?|accounts?|bookings?|reservations?|purchases?|retail)|retail[- ]related|(?:your|this|the same|another) (?:order|reservation|booking|account|profile|subscription)|in your profile)\b/i;
/** Returns whether an answer keeps a business's terms and says what is possible instead. */
export const keepsTerms = (answer: string): boolean => TERMS.test(answer) && OFFERS.test(answer);
/** Returns whether an answer declines for a business's terms, tools or task, not because the request sounds harmful. */
export const isServiceDenial = (answer: string): boolean => TERMS.test(answer) || TASK.test(answer);

/** "You're welcome. I'm sorry I couldn't do more": looks back. */
const FAREWELL =
  /^\s*(?:you(?:'re| are) (?:very |most )?welcome|thank you for (?:your understanding|calling|contacting)|take care|have a (?:great|nice|good|safe|wonderful))/i;
export const isFarewell = (head: string): boolean => FAREWELL.test(head.replaceAll("’", "'"));

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

/**
 * What was found and where. Only `explicit` and `foreign` show on their own that the assistant declines; `judges` nearly does,
 * and `private` does if the answer speaks of privacy.
 */
export type Decline = {
  start: number;
  end: number;
  kind: "explicit" | "foreign" | "judges" | "private" | "moral" | "hint";
};

/** Finds the first decline in the beginning of an answer. */
export function findDecline(head: string): Decline | null {
  const plain = head.includes("’") ? head.replaceAll("’", "'") : head;
  const hint = HINT_ENGLISH.exec(plain);
  const explicit = hint && (EXPLICIT_ENGLISH.exec(plain) ?? EXPLICIT_SHORT_ENGLISH.exec(plain));
  if (explicit) return found(plain, explicit, "explicit");
  const judges = JUDGES_ENGLISH.exec(plain);
  if (judges) return found(plain, judges, "judges");
  const aboutPerson = ABOUT_PERSON.exec(plain);
  if (aboutPerson && PRIVACY.test(plain)) return found(plain, aboutPerson, "private");
  const moral = MORAL_ENGLISH.exec(plain);
  if (moral) return found(plain, moral, "moral");
  if (hint) return found(plain, hint, "hint");
  const foreign = FOREIGN_START.test(plain) ? FOREIGN.exec(plain) : null;
  return foreign && found(plain, foreign, "foreign");
}

function found(text: string, match: RegExpExecArray, kind: Decline["kind"]): Decline | null {
  return isQuoted(text, match.index) ? null : { start: match.index, end: match.index + match[0].length, kind };
}

const PRIVACY =
  /\bpriva(?:te|cy)|personal (?:information|data|details|matter)|confidential|permission|consent|boundaries|security/i;

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
