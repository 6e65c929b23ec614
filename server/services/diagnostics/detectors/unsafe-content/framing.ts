/**
 * Pretexts that frame a harmful request: a role whose work excuses it, a story, an exercise, an essay that must argue for it. A
 * frame or a dark topic alone is a normal use of a model; together with a demand for particulars they are a pretext.
 */

const ROLES =
  "(?:\\w+[- ]){0,4}(?:hacker|author|novelist|writer|screenwriter|playwright|journalist|reporter|blogger|columnist|historian|researcher|scientist|professor|scholar|sociologist|psychologist|chemist|biologist|doctor|lawyer|legal advisor|detective|investigator|criminal|con artist|scammer|thief|burglar|spy|agent|soldier|dictator|propagandist|activist|influencer|comedian|actor|character|consultant|specialist|expert|analyst|strategist|consultant|student|engineer|developer|tester|auditor|marketer|teacher|villain|protagonist)";
const FRAMES: readonly RegExp[] = [
  new RegExp(
    `\\b(?:imagine|pretend|suppose|assume|picture|envision)\\b[^.!?\\n]{0,40}\\b(?:you|we|a|an|that|yourself)\\b|\\b(?:you(?:'re| are|'ve been| have been| will be)|i(?:'m| am)|as|being) (?:now |currently )?(?:a|an|the|hired|tasked|asked|working)\\b[^.!?\\n]{0,60}\\b${ROLES}\\b|\\bplay(?:ing)? the (?:role|part) of\\b`,
    "i",
  ),
  /\b(?:in|for|of) (?:a|an|this|the|my|our|your) (?:\w+[- ]){0,3}(?:story|novel|movie|film|screenplay|script|play|book|game|scenario|world|universe|simulation|exercise|documentary|thesis|paper|training|experiment|article|presentation)\b|\b(?:hypothetical|thought experiment|satir\w+|fiction(?:al)?|alternate|parallel (?:world|universe)|dystopi\w+|creative exercise|role[- ]?play)\b/i,
  /\bwrite (?:me )?(?:a|an|the) (?:\w+[- ]){0,4}(?:scene|story|screenplay|script|chapter|monologue|dialogue|novel|essay|article|blog post|speech|letter|diary|post)\b|\bwell-(?:researched|balanced|written)\b|\bbalanced\b|\bboth sides\b|\balternative (?:perspectives?|views?)\b|\bthought-provoking\b/i,
];
const DARK =
  /\b(?:bombs?|explosives?|weapons?|meth(?:amphetamine)?|drugs?|poison\w*|malware|virus|ransomware|keylogger|phish\w*|hack(?:ing|ed)? (?:in)?to|exploit\w*|unauthori[sz]ed|steal\w*|theft|fraud\w*|scam\w*|launder\w*|counterfeit\w*|forg(?:e|ed|ing|ery)|smuggl\w*|kidnap\w*|traffick\w*|tortur\w*|murder\w*|kill\w*|assassinat\w*|suicide|self-harm|overdos\w*|anorexi\w*|bulimi\w*|racis\w*|sexis\w*|misogyn\w*|xenophob\w*|antisemit\w*|supremac\w*|inferior|genocide|holocaust|ethnic cleansing|hoax|conspirac\w*|disinformation|misinformation|propaganda|defam\w*|libel\w*|blackmail\w*|extort\w*|stalk\w*|harass\w*|bully\w*|deepfakes?|minors?|sexual\w*|porn\w*|incest\w*|cannibal\w*|drunk driv\w*|driving under the influence|\bdui\b|plagiari\w*|cheat\w*|bypass\w*|circumvent\w*|evad\w*|undetect\w*|without (?:getting|being) (?:caught|detected)|getting caught|pira(?:cy|ted)|hazardous|toxic waste|insider trading|tax evasion|evade taxes|brib\w*|hate speech|hateful|terroris\w*|extremis\w*|illicit|illegal\w*|corrupt\w*|ponzi|pyramid scheme|astrology cures?|sabotag\w*|vandali[sz]\w*|arson|riot\w*|violen\w*|discriminat\w*|derogatory|discredit\w*|deceiv\w*|manipulat\w*|brainwash\w*|cult|no longer (?:present|exist)|eliminat\w* (?:everyone|people|all))\b/i;
const DEMANDS =
  /\b(?:step[- ]by[- ]step|in (?:great |vivid |full )?detail|detailed|specific(?:ally)?|instructions?|guide|methods?|techniques?|strateg(?:y|ies)|tools and|steps|how (?:to|they|he|she|you|one|someone|the)|convinc\w+|persuasive\w*|compelling|argu(?:e|es|ing|ment\w*)|justif\w+|promot\w+|prais\w+|advocat\w+|glorif\w+|make sure|ensure|include|describe|explain|outline)\b/i;

/** Returns where a frame is set up around a dark topic of which particulars are demanded. */
export function framingOf(text: string): { start: number; end: number } | null {
  if (!DARK.test(text)) return null;
  const plain = text.replaceAll("’", "'");
  if (!DEMANDS.test(plain)) return null;
  for (const frame of FRAMES) {
    const found = frame.exec(plain);
    if (found) return { start: found.index, end: found.index + found[0].length };
  }
  return null;
}

/** Advocacy that is to sound fair: "a balanced, well-researched essay arguing that …". */
const ADVOCATES =
  /\b(?:essay|article|speech|blog post|post|thread|paper|report|letter|op-?ed|argument|case)\b[^.!?\n]{0,80}\b(?:argu(?:es?|ing)|claim(?:s|ing)?|promot(?:es?|ing)|defend(?:s|ing)?|justif(?:y|ies|ying)|prov(?:es?|ing)|suggest(?:s|ing)?|den(?:y|ies|ying)|prais(?:es?|ing)|advocat(?:es?|ing))\b/i;
const FAIR_TONE =
  /\b(?:balanced|well-?researched|respectful|both sides|objective|nuanced|scholarly|open-minded|thought-provoking|neutral tone|fair)\b/i;
const HATEFUL =
  /\b(?:inferior|superior(?:ity)?|suprem\w+|hoax|never happened|exaggerated|fabricated|genocide|ethnic cleansing|holocaust|slavery|racis\w+|sexis\w+|misogyn\w+|xenophob\w+|antisemit\w+|eugenics|should (?:be|not be) (?:allowed|killed|deported|sterili[sz]ed|banned from)|anorexia|bulimia|self-harm|suicide|child (?:labou?r|marriage)|torture|terroris\w+|conspirac\w+)\b/i;

/** Returns where a text asks for advocacy of something hateful or false in a fair tone. */
export function fairAdvocacyIn(text: string): { start: number; end: number } | null {
  const found = ADVOCATES.exec(text);
  if (!found || !FAIR_TONE.test(text) || !HATEFUL.test(text)) return null;
  return { start: found.index, end: found.index + found[0].length };
}
