/** What a run ran out of. */
export type Limit = "steps" | "time" | "tokens or cost" | "errors";

const STEPS = `(?:agent |reasoning |execution |tool |tool[- ]call |agentic )?(?:steps?|turns?|iterations?|rounds?|tool calls?|recursion depth|consecutive auto[- ]?repl(?:y|ies))`;
const NUMBER = String.raw`(?:,? ?\(?(?:of |: ?|= ?)?\d{1,9}(?:\.\d{1,3})? ?(?:s|secs?|seconds?|m|min|minutes?|h|hours?)?\)?)?`;
const REACHED = String.raw`(?: ?has been| ?have been| was| were| is)? ?(?:reached|exceeded|hit|exhausted)\b`;

/** The hint of statements without a common word. */
const ANY = "";
/**
 * How a run, in its own words or its framework's, states that it was stopped at a limit. The last element is a hint: text in
 * lower case that every match contains.
 */
const STATED: readonly (readonly [RegExp, Limit, string])[] = [
  [
    new RegExp(String.raw`\bmax(?:imum)?(?: allowed)?(?: number of)? ${STEPS}(?: limit)?${NUMBER}${REACHED}`, "i"),
    "steps",
    "max",
  ],
  [new RegExp(String.raw`\bmaximum number of messages${NUMBER}${REACHED}`, "i"), "steps", "maximum"],
  [
    new RegExp(String.raw`\bmax(?:imum)? (?:execution |run |wall[- ]clock )?time(?: limit)?${NUMBER}${REACHED}`, "i"),
    "time",
    "max",
  ],
  [
    new RegExp(
      String.raw`\b(?:reached|hit|exceeded|exhausted|ran out of|out of)(?: the| its| my| our)?(?: configured| allowed)? (?:max(?:imum)?(?: (?:number|amount) of| allowed)? ${STEPS}|(?:agent[- ]|reasoning[- ])?(?:step|turn|iteration|round|recursion|tool[- ]call)s? (?:limit|budget))\b`,
      "i",
    ),
    "steps",
    ANY,
  ],
  [/\brecursion limit(?: of)? ?\(?\d{0,9}\)?(?: has been| was)? (?:reached|exceeded|hit)\b/i, "steps", "recursion"],
  [
    /\b(?:agent|run|execution|task|workflow|crew) (?:was |has been |is |got )?(?:stopped|terminated|aborted|ended|halted|interrupted)(?: early)? (?:due to|because of|because it (?:reached|hit|exceeded)|after (?:reaching|hitting|exceeding))(?: the| its| an?)? (?:max(?:imum)?[ _](?:steps|turns|iterations|rounds)|iteration limit|(?:step|turn|recursion) limit)/i,
    "steps",
    ANY,
  ],
  [
    /\b(?:agent|run|execution|task|workflow|crew) (?:was |has been |is |got )?(?:stopped|terminated|aborted|ended|halted|interrupted)(?: early)? (?:due to|because of|because it (?:reached|hit|exceeded)|after (?:reaching|hitting|exceeding))(?: the| its| an?)? (?:time limit|max(?:imum)?[ _](?:execution )?time|time-?out)/i,
    "time",
    ANY,
  ],
  [
    /\b(?:reached|hit|exceeded|exhausted|ran out of)(?: the| its| my| our)?(?: configured| allowed)? (?:token|cost|credit|spending) (?:budget)\b|\b(?:token|cost) budget (?:has been |was |is )?(?:reached|exceeded|exhausted)\b/i,
    "tokens or cost",
    "budget",
  ],
  [
    /\btoo many (?:consecutive |repeated |failed )?(?:errors|failures|failed attempts)\b[^\n.]{0,40}\b(?:stopp|abort|terminat|giving up|ending|halt)|\b(?:stopp|abort|terminat|giving up|ending|halt)\w{0,4} (?:the run |the task )?(?:after|due to|because of) (?:\d{1,4}|too many) (?:consecutive |repeated )?(?:errors|failures|failed attempts|failed steps)\b|\bstopp?(?:ing|ed) due to \d{1,3} consecutive failures\b/i,
    "errors",
    ANY,
  ],
  [
    /\bmaximale (?:anzahl|zahl) (?:an |von |der )?(?:schritte|iterationen|runden|durchläufe)n? (?:wurde )?(?:erreicht|überschritten)/i,
    "steps",
    "maximale",
  ],
  [
    /\bnombre (?:maximal|maximum) d(?:e |['’])(?:étapes|itérations|tours)(?: a été| est)? (?:atteint|dépassé)/i,
    "steps",
    "nombre",
  ],
  [
    /\b(?:número|límite) máximo de (?:pasos|iteraciones|turnos|rondas)(?: ha sido| fue)? (?:alcanzado|superado|excedido)/i,
    "steps",
    "máximo",
  ],
  [/最大(?:反復|ステップ|ターン|試行|イテレーション)(?:回)?数に達し/, "steps", "最大"],
  [/(?:达到|达到了|已达到|超过|超出)(?:了)?最大(?:步数|步骤数|迭代次数|轮数|轮次)/, "steps", "最大"],
];

/** Names with which frameworks report a limit as an error or a stop reason. */
const NAMED: readonly (readonly [RegExp, Limit])[] = [
  [
    /\b(?:GraphRecursionError|MaxTurnsExceeded|MaxIterations?(?:Exceeded|Reached)\w{0,10}|MaxSteps(?:Exceeded|Reached)\w{0,10}|AgentMaxStepsError|GRAPH_RECURSION_LIMIT|error_max_turns|max_(?:steps|turns|iterations|rounds)_(?:reached|exceeded))\b/,
    "steps",
  ],
  [/\bwould exceed the (?:request|tool_calls?)_limit of \d/i, "steps"],
  [
    /\bexit_cost\b|\bwould exceed the (?:total|input|output|request|response)_tokens_limit of \d|\berror_max_budget\w{0,8}\b/i,
    "tokens or cost",
  ],
  [/\bAgentTimeout(?:Error)?\b|\bAgentExecutionTimeout\w{0,10}\b/, "time"],
];

/** Finish reasons that mean the same. A reply's token limit is not a limit of the run. */
const FINISH: Readonly<Record<string, Limit>> = {
  max_steps: "steps",
  max_turns: "steps",
  max_iterations: "steps",
  max_tool_calls: "steps",
  error_max_turns: "steps",
  recursion_limit: "steps",
  max_time: "time",
  budget_exceeded: "tokens or cost",
};

/** Every statement contains one of these, so that most texts are ruled out immediately. */
const TELLING =
  /reached|exceeded|stopped|hit|exhausted|limit|budget|ran out|too many|consecutive|MaxTurns|MaxIter|MaxSteps|Recursion|RECURSION|max_|exit_cost|Timeout|erreicht|überschritten|atteint|dépassé|máximo|最大/;
/** A condition, a hypothesis or someone else's limit. */
const NOT_THIS_RUN =
  /(?:\b(?:if|when|whenever|unless|until|before|once|after you|in case|would|could|may|might|will|avoid\w{0,3}|prevent\w{0,3}|you(?:[’']ve| have)?|your|customer|account|plan|subscription|means|says|said|called|error)\b[^.\n]{0,40}|["“'‘«([=])$/i;
/** Characters before a statement that may qualify it. */
const LEAD = 48;
/** The run's own statement begins within this many characters of the start of its line. */
const LINE_START = 90;

export type LimitStatement = { limit: Limit; start: number; end: number };

/** Returns where `prose` states that the run was stopped at a limit, or `null`. */
export function limitStatement(prose: string): LimitStatement | null {
  if (!TELLING.test(prose)) return null;
  const folded = prose.toLowerCase();
  for (const [pattern, limit, hint] of STATED) {
    if (!folded.includes(hint)) continue;
    const found = pattern.exec(prose);
    if (!found) continue;
    const lineStart = prose.lastIndexOf("\n", found.index) + 1;
    const lead = prose.slice(Math.max(lineStart, found.index - LEAD), found.index);
    if (found.index - lineStart > LINE_START || NOT_THIS_RUN.test(lead)) continue;
    return { limit, start: found.index, end: found.index + found[0].length };
  }
  return namedLimit(prose);
}

/** Returns where an error's text names a framework's limit, or `null`. */
export function limitInError(text: string): LimitStatement | null {
  if (!TELLING.test(text)) return null;
  const stated = STATED.map(([pattern, limit]) => ({ found: pattern.exec(text), limit })).find(({ found }) => found);
  if (stated?.found) {
    const { found, limit } = stated;
    return { limit, start: found.index, end: found.index + found[0].length };
  }
  return namedLimit(text);
}

function namedLimit(text: string): LimitStatement | null {
  for (const [pattern, limit] of NAMED) {
    const found = pattern.exec(text);
    if (!found) continue;
    // A name in the middle of a sentence is only mentioned; at the start of a line or before a colon, it is reported.
    const lineStart = text.lastIndexOf("\n", found.index) + 1;
    const reports = text.slice(found.index + found[0].length, found.index + found[0].length + 1) === ":";
    if (!reports && found.index - lineStart > LEAD) continue;
    if (NOT_THIS_RUN.test(text.slice(Math.max(lineStart, found.index - LEAD), found.index)) && !reports) continue;
    return { limit, start: found.index, end: found.index + found[0].length };
  }
  return null;
}

export const limitOfFinish = (reason: string): Limit | null => FINISH[reason.toLowerCase()] ?? null;
