import { excerpt } from "@/server/platform/excerpt";
import { isByUser } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { textOf } from "../reading/text";
import { toolExchanges } from "../reading/tool-exchanges";
import { hintFinder } from "../reading/words/hint-finder";
import jailbreakModel from "../text-model/models/jailbreak.generated.json" with { type: "json" };
import { scoreText, textModel } from "../text-model/score-text";
import { fairAdvocacyIn, framingOf } from "./framing";
import { nonsenseTail } from "./nonsense-tail";

const model = textModel(jailbreakModel);

const MATCH_SCORE = 0.65;
/** Minimum score of the model for wording to count with two licences, or with one. */
const LIKELY = 0.5;
const SURE = 0.85;
/** Scores of the model from which a role or a story with a dark topic is a pretext, and below which it is nothing. */
const FRAMED_LIKELY = 0.3;
const PERHAPS = 0.2;
const SCORES = { unbound: 0.85, oneLicence: 0.75, framed: 0.7, unsettled: 0.45 } as const;
/** Characters. Shorter messages have no room for a pretext. */
const SHORTEST = 40;
const READ = 12_000;
/** A suffix follows a request, not a document. */
const SUFFIXED_LONGEST = 1500;

/**
 * What a pretext claims: that it is only fiction or research, that no rules apply, that nothing may be refused. Without such
 * a claim, wording alone decides nothing: role-play and fiction are normal uses of a model.
 */
const LICENCE =
  /\b(?:purely|solely|only|strictly) (?:\w+ )?(?:fiction|hypothe|academic|educational|for )\w*|\bfor (?:\w+ )?(?:research|educational|academic|testing|training|entertainment|informational|awareness|illustrative|hypothetical|creative) purposes?|\b(?:in|to) (?:the )?real[- ](?:life|world)|\bno (?:real|actual)\b|\bfictional|\bhypothetical|\bno (?:restrictions?|limits?|limitations?|rules|filters?|boundaries|censorship|moral|ethic)\w*|\bwithout (?:any |the )?(?:\w+ )?(?:restrictions?|limits?|limitations?|filters?|censor\w*|moral\w*|ethic\w*|disclaimers?|warnings?|guidelines|mentioning|acknowledg\w*)|\bunfiltered|\buncensored|\bunrestricted|\bamoral|\bunethical|\bimmoral|\billegal|\bunlawful|\bharmful|\bdangerous|\bdo anything now|\bDAN\b|\bdeveloper mode|\bjail ?br(?:eak|oken)|\bopenai|\bcontent polic\w+|\b(?:ethic|moral)\w*|\bsafety (?:guidelines|measures|protocols|filters)|\b(?:never|not|cannot|can['’]t|won['’]t|don['’]t) (?:refuse|reject|deny|decline|warn|apologi[sz]e|censor)|\bstay in character|\bbreak (?:character|the rules)|\bmust (?:always )?(?:answer|comply|obey)|\bregardless of|\bno matter (?:what|how)|\bdo not (?:mention|include|add) .{0,30}(?:illegal|legal|ethic|warning|disclaimer)|\bcontroversial|\bprovocative|\btest(?:ing)? (?:the|your) (?:limits|boundaries)/gi;

/** Gives the model another persona, and `UNBOUND` frees that persona of rules. */
const PERSONA =
  /\b(?:you are (?:now|going to)|you(?:['’]re| will| are to) (?:now )?(?:act|be|play|become|respond|pretend)|act as|pretend (?:to be|you are)|role-?play|from now on|enter(?:ing)? (?:\w+ ){0,2}mode|mode (?:enabled|activated)|imagine (?:you are|you['’]re|being))\b|\b(?:du bist (?:jetzt|ab jetzt|nun)|spiele? die rolle|tu es maintenant|joue le rôle|ahora eres|actúa como|a partir de ahora|agora você é|finja|ora sei|fingi|ты теперь|теперь ты|представь, что ты)|现在你是|你现在是|扮演|从现在开始|これからあなたは|あなたは今|ふりをして|지금부터 (?:너는|당신은)|역할을/i;
const UNBOUND =
  /\b(?:no|without(?: any)?|free (?:of|from)(?: all| any)?|not bound by(?: any)?|ignor(?:e|es|ing)(?: all| any)?|broken free (?:of|from)|does not (?:have to )?(?:abide by|follow|obey|care about)|do(?:es)?n['’]t have(?: any)?) (?:\w+ ){0,3}(?:restrictions|limitations|rules|filters?|censorship|guidelines|ethical|ethics|moral\w*|boundaries|policies|confines)|\b(?:unfiltered|uncensored|unrestricted|amoral)\b.{0,60}\b(?:AI|assistant|chat ?bot|model|responses?|answers?)|\b(?:can|will) do anything now\b|\bDAN\b.{0,80}\b(?:anything|mode)\b|\bnever (?:refuse|decline|reject|say no)|\bdeveloper mode\b.{0,60}\b(?:enabled|on|activated|output)|ohne (?:jegliche |jede |alle )?(?:einschränkungen|beschränkungen|zensur|filter|moral|regeln)|(?:keinerlei|keine) (?:einschränkungen|regeln|moral|ethi\w+)|sans (?:aucune? )?(?:restrictions?|censure|filtre|limites?|règles?|morale)|sin (?:ningun[ao]? )?(?:restricci\S+|censura|filtros?|límites|reglas|moral)|sem (?:nenhuma? )?(?:restriç\S+|censura|filtros?|limites|regras)|senza (?:alcuna? )?(?:restrizioni|censura|filtri|limiti|regole)|без (?:каких-либо |всяких )?(?:ограничений|цензуры|фильтров|правил)|没有任何(?:限制|道德|规则)|不受(?:任何)?.{0,8}(?:限制|约束)|无视(?:道德|法律|伦理)|(?:制限|規制|検閲|倫理)(?:は|が|の|も)?(?:一切)?(?:な[いくし]|無[いくし])|(?:제한|검열|규칙) ?(?:없이|이 없|없는)/i;

/** Every licence contains one of these. Messages without any skip the slower checks. */
const HINTS = [
  ..."purpos fiction ypothet estrict imitat limit filter ensor ethic moral llegal nlawful armful angerous".split(" "),
  ..."refus eject declin deny pologi egardless ontrovers rovocat isclaim warning cknowledg entioning uideline".split(
    " ",
  ),
  ..."oundar onfines olicies rules openai ailbr einschränk beschränk zensur regeln censur filtr senza restri".split(
    " ",
  ),
  ..."ограничен цензур фильтр правил 限制 约束 道德 法律 伦理 制限 規制 検閲 倫理 제한 검열 규칙".split(" "),
  ...["nything now", " dan ", "eveloper mode", "ail break", "ail broken", "ontent polic", "afety ", "n character"],
  ...[
    "reak character",
    "must answer",
    "must comply",
    "must obey",
    "must always",
    "o matter ",
    "real life",
    "real world",
  ],
  ...[
    "urely for",
    "olely for",
    "only for",
    "trictly for",
    "purely academ",
    "no real ",
    "no actual",
    "say no",
    " legal",
    "reglas",
  ],
];
const hintsIn = hintFinder([HINTS], 1);

export const jailbreakAttempt: Detector = {
  signal: "jailbreak_attempt",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "A user who tries to talk the model out of its rules: a persona without limits, a pretext, or a suffix of nonsense.",
  detect(conversation) {
    const results = new Set(toolExchanges(conversation).map(({ resultIndex }) => resultIndex));
    return mergeByCause(
      conversation.messages.flatMap((message, index) =>
        isByUser(message) && !results.has(index) ? attempts(conversation, index, textOf(message)) : [],
      ),
    );
  },
};

function attempts(conversation: ConversationSnapshot, index: number, whole: string): DetectedSignal[] {
  if (whole.length < SHORTEST) return [];
  const found: DetectedSignal[] = [];
  const tail = whole.length <= SUFFIXED_LONGEST ? nonsenseTail(whole) : null;
  if (tail) found.push(signalOf(conversation, index, "a nonsense suffix", tail.score, tail.start, whole.length));
  const framed = framedAttempt(conversation, index, whole);
  const text = whole.slice(0, READ);
  if (hintsIn(text).positions.length === 0) return [...found, ...framed];
  const unbound = UNBOUND.exec(text);
  if (unbound && PERSONA.test(text)) {
    found.push(signalOf(conversation, index, "a persona without rules", SCORES.unbound, unbound.index));
    return found;
  }
  const licences = licencesIn(text);
  if (licences.length === 0) return [...found, ...framed];
  const likely = scoreText(model, text);
  const score = scoreOfWording(likely, new Set(licences.map(([words]) => words.toLowerCase())).size);
  // A frame is claimed only where wording alone is not.
  if (score < MATCH_SCORE && framed.length > 0) return [...found, ...framed];
  if (score > 0)
    found.push(signalOf(conversation, index, "a pretext", score, 0, licences[0]!.index + licences[0]![0].length));
  return found;
}

/** Characters in which a role or a story is set up. */
const FRAMED_READ = 3000;

function framedAttempt(conversation: ConversationSnapshot, index: number, whole: string): DetectedSignal[] {
  const text = whole.slice(0, FRAMED_READ);
  const advocacy = fairAdvocacyIn(text);
  if (advocacy) return [signalOf(conversation, index, "a fair tone", SCORES.framed, advocacy.start, advocacy.end)];
  const framing = framingOf(text);
  if (!framing) return [];
  const likely = scoreText(model, text);
  if (likely < PERHAPS) return [];
  const score = likely >= FRAMED_LIKELY ? SCORES.framed : SCORES.unsettled;
  return [signalOf(conversation, index, "a role or a story", score, framing.start, framing.end)];
}

const LICENCES_READ = 20;
function licencesIn(text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(LICENCE)) if (found.push(match) === LICENCES_READ) break;
  return found;
}

function scoreOfWording(likely: number, licences: number): number {
  if (likely >= LIKELY && licences >= 2) return Number(Math.min(0.98, 0.6 + 0.4 * likely).toFixed(3));
  if (likely >= SURE) return SCORES.oneLicence;
  return likely >= LIKELY ? SCORES.unsettled : 0;
}

function signalOf(
  { messages }: ConversationSnapshot,
  index: number,
  tactic: string,
  score: number,
  start: number,
  end = start + QUOTED,
): DetectedSignal {
  const evidence = quoteMessage(messages, index, start, Math.max(end, start + QUOTED));
  return {
    name: "jailbreak_attempt",
    score,
    verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
    evidence: [evidence],
    cause: `jailbreak by ${tactic}`,
    title: `A user tries to get around the model's rules with ${tactic}`,
    summary: `A user's message uses ${tactic} to get around the model's rules: “${excerpt(evidence.quote, 200)}”.`,
  };
}
const QUOTED = 120;
