import { SCORE } from "./failure-text";

/** A pattern and the score of a match. All patterns are bounded, so that matching is linear in the text. */
type Scored = readonly [RegExp, number];

/** What some runners print before the result itself. */
export const WRAPPER =
  /^(?:\s|```\w{0,12}|(?:code output|output|observation|result|stdout|stderr|response|tool result|tool output)\s{0,2}:|<(?:error|tool_use_error|stderr|output|result|tool_response)>){1,6}/i;
export const ERROR_TAG = /<(?:error|tool_use_error)>/i;

/** A program's exit code, as runners print it. */
export const EXIT_CODE =
  /\b(?:exit(?:ed)?[ _-]?(?:with )?(?:unix )?(?:non-zero )?(?:exit )?(?:code|status)|return[ _]?code)\b["']?(?: was| is| of)?\s{0,2}[:=]?\s{0,2}(-?\d{1,10})/i;
export const TRACEBACK = "Traceback (most recent call last)";
/** The line that ends a Python traceback: `module.SomeError: what happened`, at the left margin. */
export const EXCEPTION_LINE = /^(?:[A-Za-z_][\w]{0,60}\.){0,8}[A-Z]\w{0,80}(?::[^\n]{0,300})?$/;

/** Openings that only a failed tool writes, whatever follows. Read on the first line. */
export const OPENINGS: readonly Scored[] = [
  [
    /^(?:uncaught |unhandled |caused by: |exception in thread "[^"\n]{1,60}" )?(?:[\w$]{1,60}\.){0,8}[A-Z][\w$]{0,60}(?:Error|Exception|Fault|Timeout|Failure|NotFound|Denied|Unavailable|Exceeded)(?:\([^)\n]{0,80}\)|\[[^\]\n]{0,40}\])?\s?(?:[:!(]|-\s|$)/,
    SCORE.exception,
  ],
  [
    /^\W{0,4}(?:[\w.-]{1,40} )?error\s?(?:\[[^\]\n]{0,40}\]|\([^)\n]{0,40}\))?\s?:(?!\s{0,3}(?:0|none|null|no|false|n\/a)\W{0,3}$)/i,
    SCORE.prefix,
  ],
  [
    /^\W{0,4}(?:an? )?(?:unexpected |internal |fatal |runtime |unknown |server |api |tool |system |critical |unhandled )?(?:error|exception)\b\s?(?:!|\(|code\b|occurred|was |while|when|executing|calling|running|invoking|processing|parsing|fetching|reading|loading|opening|accessing|retrieving|getting|sending|creating|updating|during|in tool|from |- )/i,
    SCORE.opening,
  ],
  [/^\W{0,4}(?:fatal|panic|err|failure|exception|critical)\s?:/i, SCORE.opening],
  [/^\W{0,4}errors? (?:in|with|for|at|on) [^\n:]{1,80}:/i, SCORE.opening],
  [
    /^\W{0,4}(?:the )?(?:\w{1,20} ){0,3}(?:execution|call|request|invocation|command|operation|query|action|script) (?:has )?(?:failed|errored)\b/i,
    SCORE.opening,
  ],
  [/^status\s?:\s?["']?(?:error|failed|failure)\b/i, SCORE.opening],
  [/^(?:npm ERR!|thread '[^'\n]{1,60}' panicked|Segmentation fault|\[(?:error|fatal)\])/i, SCORE.opening],
  [/^(?:❌|✗|🚫|⛔)/u, SCORE.sentence],
  [
    /^(?:HTTP(?:\/\d(?:\.\d)?)?\s?)?(?:(?:error|status(?: code)?)\s?:?\s?)?[45]\d\d\s?[:-]?\s?(?:client error|server error|bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|request time-?out|conflict|gone|too many requests|unprocessable|internal server error|not implemented|bad gateway|service unavailable|gateway time-?out)/i,
    SCORE.http,
  ],
  [/^[^\n]{0,80}\b(?:HTTP|status(?: code)?|error code)\b[ :=]{1,3}(?:error[ :=]{1,3})?[45]\d\d\b/i, SCORE.http],
  [
    /^(?:[\w./-]{1,60}: ){1,3}(?:line \d{1,6}: )?[^\n]{0,160}(?:command not found|no such file or directory|permission denied|not a directory|cannot access|is a directory|syntax error|unrecognized option|invalid option|connection refused|operation not permitted|could not resolve host)/i,
    SCORE.opening,
  ],
];

/** An error page of a server, where a tool fetched something else. Read on the first characters. */
export const ERROR_PAGE =
  /^<(?:!doctype html|html)[\s\S]{0,300}?<title>\s{0,10}(?:[45]\d\d\b|error\b|access denied|not found|forbidden|service unavailable)/i;
/** A tool whose result starts like this may explain the reason at length. */
export const FAILED_TO =
  /^\W{0,4}(?:sorry,? |i'm sorry,? )?(?:(?:i|we|the (?:tool|server|system|request)) )?(?:failed|unable|could not|couldn[’']t|was not able|were not able|not able) (?:to )?\w/i;

/** Sentences of failure, read only where the whole result is one statement. */
export const STATEMENTS: readonly Scored[] = [
  [/\b(?:is |was |were |are |could )?not (?:be )?found\b(?! any)/i, SCORE.sentence],
  [/\b(?:does not|doesn[’']t|do not|don[’']t|did not) exist\b|\bno such \w/i, SCORE.sentence],
  [
    /\b(?:permission|access|authorization) (?:was |is )?denied\b|\bunauthori[sz]ed\b|\bnot authori[sz]ed\b|\bforbidden\b|\bauthentication (?:failed|required|error)\b|\binvalid (?:api[ _-]?key|credentials|token|password)\b|\bnot (?:permitted|allowed)\b/i,
    SCORE.sentence,
  ],
  [
    /\btimed[ -]?out\b|\btime-?out (?:after|exceeded|reached|error|while|expired|of)\b|\bdeadline exceeded\b|\bE(?:TIMEDOUT|CONNREFUSED|CONNRESET|NOENT|ACCES|NOTFOUND|PERM|EXIST|PIPE|HOSTUNREACH)\b/,
    SCORE.sentence,
  ],
  [/\brate[ -]?limit(?:ed| exceeded| reached)|\btoo many requests\b|\bquota (?:exceeded|exhausted)\b/i, SCORE.sentence],
  [
    /\bconnection (?:was )?(?:refused|reset|aborted|closed|error|failed|lost)\b|\bnetwork (?:error|is unreachable|unreachable)\b|\bservice (?:is )?(?:temporarily )?unavailable\b/i,
    SCORE.sentence,
  ],
  [
    /\bvalidation (?:error|failed|failure)\b|\b(?:missing|required) (?:\d{1,3} )?(?:required )?(?:positional )?(?:parameters?|arguments?|fields?|propert(?:y|ies)|keys?)\b|\bunexpected keyword\b|\b(?:is|are) (?:a )?required\b|\bmalformed\b/i,
    SCORE.sentence,
  ],
  [
    /\binvalid (?:\w{1,30} ){0,2}?(?:arguments?|parameters?|inputs?|values?|types?|formats?|json|requests?|dates?|ids?|identifiers?|names?|syntax|quer(?:y|ies)|tools?|functions?|actions?|commands?|selectors?|urls?|paths?|index|option)\b|\binvalid (?:\w{1,30})\s?:/i,
    SCORE.sentence,
  ],
  [
    /\b(?:unknown|unsupported|unrecogni[sz]ed|undefined) (?:\w{1,30} )?(?:tool|function|command|action|language|option|method|operation|type|parameter|argument|format)\b|\bis not (?:defined|a (?:valid|known|recogni[sz]ed))\b/i,
    SCORE.sentence,
  ],
  [
    /\bsyntax error\b|\b(?:error|exception) (?:occurred|happened|was raised|was thrown)\b|\bout of (?:memory|bounds|range)\b/i,
    SCORE.sentence,
  ],
  [
    /\b(?:insufficient|not enough)\b|\bexceeds (?:the )?(?:maximum|limit|available|allowed)\b|\balready exists\b|\bmust be (?:an? |one |at |in |between |greater |less |positive |non)/i,
    SCORE.business,
  ],
  [/\b(?:failed|aborted|rejected|declined|unsuccessful)\b/i, SCORE.outcome],
  [/\b(?:cannot|can[’']t|unable to|could not|couldn[’']t)\b/i, SCORE.mention],
];
/** "0 errors", "no problems found": a report that all is well. */
export const ALL_WELL =
  /\b(?:no|0|zero|without(?: any)?) (?:\w{1,20} )?(?:errors?|exceptions?|failures?|issues?|problems?|conflicts?|warnings?)\b|\bsuccess(?:ful|fully)?\b/i;
