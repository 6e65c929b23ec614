/** How common tools and frameworks report that the call itself was wrong. Matched against the message of a known failure. */
const UNKNOWN_TOOL = [
  /\b(?:unknown|no such|undefined|unrecogni[sz]ed|unsupported|invalid|nonexistent|non-existent|unavailable) (?:tool|function|plugin)s?\b(?! (?:call )?(?:arg|param|input))/i,
  /\b(?:tool|function|plugin)(?: (?:named|called|with name))?(?: ["'`]?[\w.:-]{1,80}["'`]?)? (?:is |was |does |are )?(?:not (?:found|available|registered|defined|exist|supported|recogni[sz]ed|known|implemented)|unavailable|unknown)/i,
  /["'`]?[\w.-]{1,80}["'`]? is not a (?:valid|known|registered|recogni[sz]ed|supported) (?:tool|function|plugin)/i,
  /\b(?:tool|function)(?: ["'`]?[\w.:-]{1,80}["'`]?)? doesn[’']t exist\b/i,
  /\b(?:NoSuchTool|ToolNotFound|UnknownTool|UnknownFunction|FunctionNotFound)\w{0,20}\b/,
] as const;

const INVALID_ARGUMENTS = [
  /\bvalidation (?:errors?|failed|failure)\b|\b(?:Validation|InvalidArgument|InvalidParameter|InvalidToolArguments|ToolInputParsing|Schema|BadRequest)\w{0,12}(?:Error|Exception)\b/i,
  /\bmissing (?:\d{1,3} )?(?:a )?(?:required )?(?:positional |keyword-only |keyword )?(?:parameters?|arguments?|fields?|propert(?:y|ies)|keys?|values?)\b/i,
  /\b(?:required|mandatory) (?:parameters?|arguments?|fields?|propert(?:y|ies))\b|\b(?:parameters?|arguments?|fields?|propert(?:y|ies)) (?:["'`]?[\w.]{1,60}["'`]? )?(?:is|are) (?:required|missing|invalid)\b|\bfield required\b/i,
  /\bunexpected (?:keyword )?(?:arguments?|parameters?|fields?)\b|\btakes (?:no|\d{1,3}|from) [^\n]{0,40}\barguments?\b/i,
  /\binvalid (?:\w{1,30} ){0,2}?(?:arguments?|parameters?|inputs?|values?|types?|formats?|json|syntax|dates?|enum)\b|\b(?:arguments?|parameters?|inputs?) (?:is|are|was|were) (?:invalid|not valid)\b/i,
  /\binput should be\b|\bis not (?:a )?valid (?!tool|function|user|session)\w|\bdoes not match (?:the )?(?:format|pattern|schema|regex)|\bunconverted data remains\b|\bnot of type\b/i,
  /\bmust be (?:an? |one of|in (?:the )?(?:format|range)|between|(?:greater|less|at (?:least|most))|non-?(?:empty|negative)|positive)/i,
  /\b(?:failed|unable|could not|cannot) (?:to )?(?:parse|decode|deserialize) (?:the )?(?:tool |function )?(?:arguments?|input|json|parameters?)\b|\bJSONDecodeError\b|\bmalformed (?:json|arguments?|input|request)\b/i,
  /\bexpected (?:type )?[\w'"`]{1,40},? (?:but )?(?:got|received|found)\b|\bcould not convert string to\b|\binvalid literal for\b/i,
  /\b(?:400 bad request|422 unprocessable|unprocessable (?:entity|content))\b/i,
] as const;

const TIMED_OUT = [
  /\btimed[ -]?out\b|\btime-?out (?:after|exceeded|reached|error|while|expired|waiting|of \d)|\b(?:read|connect|connection|request|execution|gateway|operation) ?time-?out\b/i,
  /\bdeadline[ _]exceeded\b|\bETIMEDOUT\b|\bESOCKETTIMEDOUT\b|\b\w{0,40}Timeout(?:Error|Exception|Expired)\b|\b(?:Read|Connect|Gateway|Asyncio)Timeout\b/i,
  /\b(?:408 request|504 gateway)\b|\b(?:HTTP|status(?: code)?)[ :=]{1,3}(?:408|504)\b/i,
  /\btook too long\b|\bexceeded (?:the )?(?:maximum |allowed )?(?:execution )?time(?: limit)?\b|\b(?:time limit|max(?:imum)? (?:execution )?time) (?:was )?exceeded\b/i,
] as const;

const says = (patterns: readonly RegExp[], message: string) => patterns.some((pattern) => pattern.test(message));

/** Whether the failure reports that no tool of this name exists. */
export const saysUnknownTool = (message: string) => says(UNKNOWN_TOOL, message);
/** Whether the failure reports that the arguments did not fit the tool. */
export const saysInvalidArguments = (message: string) => !saysUnknownTool(message) && says(INVALID_ARGUMENTS, message);
/** Whether the failure reports that time ran out. */
export const saysTimeout = (message: string) => says(TIMED_OUT, message);
