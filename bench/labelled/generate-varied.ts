import { between, pick, randomStream } from "./random";
import { type LabelledConversation, type LabelledInput, labelledConversation } from "./read-labelled";

type Random = () => number;
type Messages = LabelledInput["messages"];

const SEED = 20_251_127;
const SYLLABLES = "ba ke lo mi nu pra sto ten vi zor gal fen dri sha quo lin mar tep ulo wex".split(" ");
const TOOLS = ["get_order", "search_flights", "read_file", "list_tickets", "find_user", "query_database", "open_page"];

const word = (random: Random) => Array.from({ length: between(random, 2, 4) }, () => pick(random, SYLLABLES)).join("");
const words = (random: Random, from: number, to = from) =>
  Array.from({ length: between(random, from, to) }, () => word(random));
const phrase = (random: Random, from: number, to = from) => words(random, from, to).join(" ");

const ask = (content: string) => ({ role: "user", content });
const say = (content: string) => ({ role: "assistant", content });
const call = (name: string, args: unknown, result: string): Messages => [
  { role: "assistant", content: "", tool_calls: [{ name, arguments: JSON.stringify(args) }] },
  { role: "tool", name, content: result },
];

/** What goes wrong in a conversation, each time in words that occur in no other. */
const SHAPES: readonly ((random: Random) => Messages)[] = [
  (random) => {
    const asked = words(random, 7);
    return [
      ask(`Please ${asked.join(" ")}`),
      say(`Sorry, I could not find ${phrase(random, 6)}.`),
      ask(`As I said, ${[...asked].reverse().join(" ")}`),
      say(`It is ${phrase(random, 8)}.`),
    ];
  },
  (random) => {
    const answer = `The ${phrase(random, 16)}.`;
    return [1, 2, 3, 4].flatMap(() => [ask(`${phrase(random, 6)}?`), say(answer)]);
  },
  (random) => [
    ask(`${phrase(random, 5)}?`),
    ...call(pick(random, TOOLS), { id: word(random) }, `Error: ${phrase(random, 4, 9)}`),
    say(`That did not work, sorry. Shall I try ${phrase(random, 3)} instead?`),
  ],
  (random) => {
    const tool = pick(random, TOOLS);
    const failure = `Error: ${phrase(random, 5)} not found`;
    return [
      ask(`${phrase(random, 5)}?`),
      ...[1, 2, 3, 4, 5].flatMap((n) => call(tool, { id: `${word(random)}-${n}` }, failure)),
      say(`Unfortunately I was unable to ${phrase(random, 4)} because of an error.`),
    ];
  },
  (random) => [
    ask(`${phrase(random, 6)}?`),
    say(`{"name": "${pick(random, TOOLS)}_${word(random)}", "arguments": {"${word(random)}": "${word(random)}"}}`),
  ],
  (random) => {
    const same = call(pick(random, TOOLS), { id: word(random) }, `{"${word(random)}": "${word(random)}"}`);
    return [ask(`${phrase(random, 6)}?`), ...same, ...same, ...same, ...same, say(`It is ${phrase(random, 6)}.`)];
  },
  (random) => [ask(`${phrase(random, 6)}?`), say(`I'm sorry, but I can't help with ${phrase(random, 5)}.`)],
  (random) => [
    ask(`${phrase(random, 6)}?`),
    say(`It is ${phrase(random, 6)}.`),
    ask(`No, that is wrong, it is ${phrase(random, 4)}. This is useless, I want to speak to a human.`),
    say(`You're right, I apologise. It is ${phrase(random, 5)}.`),
  ],
  (random) => [
    ask(`${phrase(random, 6)}?`),
    ...call(pick(random, TOOLS), { id: word(random) }, `{"${word(random)}": 1}`),
    say(`I'll now check ${phrase(random, 6)}.`),
  ],
  (random) => [
    ask(`${phrase(random, 6)}?`),
    say(`It is ${phrase(random, 12)}.`),
    ask("Thank you!"),
    say("My pleasure."),
  ],
];

/** Generates conversations of words that occur nowhere else: no two users, answers or errors are alike. */
export function generateVaried(count: number): LabelledConversation[] {
  const random = randomStream(SEED);
  return Array.from({ length: count }, (_, index) =>
    labelledConversation.parse({ id: `varied-${index}`, messages: SHAPES[index % SHAPES.length]!(random) }),
  );
}
