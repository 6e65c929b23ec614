import { plainMessage } from "./same-meaning";

/** Words that name nothing in particular: two tools that miss one of these need not miss the same. */
const ANY: ReadonlySet<string> = new Set(
  "resource item entity record object data result results entry match matches page value values key id element module name names field property attribute file files path directory or folder url endpoint command argument arguments parameter parameters information index column status code http error request response route it".split(
    " ",
  ),
);
const LEADING = "(?:(?:the|an?|any|this|that|your|new|requested|given|specified|provided|such) ){0,3}";
const WHERE = "(?: (?:in|for|or|on|at|with|by|under|of|to|among|left|remaining|available)\\b.{0,200})?$";
const THING = "(\\S{1,40}(?: \\S{1,40}){0,2}?)";
/** The last word of what precedes or follows, such as "balance" in "gift card balance". */
const AMOUNT = "(?:\\S{1,40} ){0,2}?(\\S{1,40})";
const STATEMENTS: readonly (readonly [name: string, RegExp])[] = [
  ["not found", new RegExp(`^${LEADING}${THING}(?: with \\S{1,40})? not found${WHERE}`)],
  ["not found", new RegExp(`^not found ${LEADING}${THING}${WHERE}`)],
  ["not enough", new RegExp(`^${LEADING}${AMOUNT}(?: (?:is|was|are|were))? not enough${WHERE}`)],
  ["not enough", new RegExp(`^(?:there (?:is|are) )?not enough ${AMOUNT}${WHERE}`)],
];
const MASKED = /<\w{1,8}>/g;

/**
 * Returns what a tool's masked message says is missing, such as "not found: payment method", or `null` if it says anything
 * else. An application that names a user who does not exist does so to whichever tool it asks.
 */
export function missingThing(template: string): string | null {
  const sentence = plainMessage(template.replace(MASKED, " ")).split(/[.!;\n]/, 1)[0]!;
  const said = (sentence.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).join(" ");
  for (const [name, statement] of STATEMENTS) {
    const thing = statement.exec(said)?.[1];
    if (thing && !thing.split(" ").every((word) => ANY.has(word))) return `${name}: ${thing}`;
  }
  return null;
}
