import { between, pick } from "./random";
import type { LabelledInput } from "./read-labelled";

type Random = () => number;
/** A conversation and whether it has the Signal. */
export type Case = { signal: string; shows: boolean; messages: LabelledInput["messages"] };

const QUESTIONS = [
  "How do I reset my password?",
  "Where is my order #W2231 and when will it arrive?",
  "Can you summarise the meeting notes from Tuesday?",
  "What is the difference between a mutex and a semaphore?",
  "Please plan a weekend in Lisbon for two people.",
  "Why does my build fail on the second step?",
];
const SENTENCES = [
  "You can change this in the settings page under the account tab.",
  "The order left our warehouse this morning and should arrive on Friday.",
  "We agreed to move the launch by one week and to tell the partners today.",
  "A mutex is owned by the thread that locked it, while a semaphore only counts.",
  "Start with a walk through the old town and take the tram up the hill.",
  "The second step fails because the cache directory is not writable.",
  "If that does not help, write to support and they will look into it.",
  "Most people find the second option easier, although it takes a little longer.",
  "Both ways lead to the same result, so choose what suits you.",
  "I checked the log and saw nothing unusual before the restart.",
];

const ask = (content: string) => ({ role: "user", content });
const say = (content: string) => ({ role: "assistant", content });
const answer = (random: Random, sentences: number) =>
  Array.from({ length: sentences }, () => pick(random, SENTENCES))
    .filter((one, at, all) => all.indexOf(one) === at)
    .join(" ");

type Maker = (random: Random) => LabelledInput["messages"];
const about = (question: string, reply: string): LabelledInput["messages"] => [ask(question), say(reply)];
const ordinary: Maker = (random) => about(pick(random, QUESTIONS), answer(random, between(random, 2, 8)));

/** Positive cases and lookalikes (`near`) per Signal, modelled on real output of providers and templates. */
const MAKERS: Readonly<Record<string, { shows: readonly Maker[]; near: readonly Maker[] }>> = {
  empty_response: {
    shows: [
      (random) => [...about(pick(random, QUESTIONS), ""), ask("Hello?")],
      (random) => about(pick(random, QUESTIONS), "  \n\n "),
      (random) => about(pick(random, QUESTIONS), pick(random, ["null", "undefined", "[object Object]", "{}", "None"])),
      (random) => about(pick(random, QUESTIONS), "\u200b\u200b"),
    ],
    near: [
      (random) => [
        ask(pick(random, QUESTIONS)),
        { role: "assistant", content: "", tool_calls: [{ name: "look_up", arguments: '{"q":"order"}' }] },
        { role: "tool", name: "look_up", content: '{"status":"sent"}' },
        say(answer(random, 2)),
      ],
      () => about("How many are left?", "None of them."),
      () => about("Is it ready?", "Yes."),
      (random) => [ask(pick(random, QUESTIONS)), { role: "assistant", content: [{ type: "image_url" }] }],
    ],
  },
  truncated_response: {
    shows: [
      (random) => about(pick(random, QUESTIONS), `${answer(random, 5)} After that you should open the`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 6)} There are three things to know, and`),
      () =>
        about(
          "Write a sorting function.",
          `Here it is.\n\n\`\`\`python\ndef sort(items):\n    for i in range(len(items)):\n        if items[i]`,
        ),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 5)} You will need a screwdriver (`),
    ],
    near: [
      (random) => about("Draft a mail to the team.", `${answer(random, 5)}\n\nBest regards,\nThe support team`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 5)}\n\n- first step\n- second step\n- third step`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 4)} See https://example.com/help/reset`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 4)} 🎉`),
      () =>
        about("Write a sorting function.", "Here it is.\n\n```python\ndef sort(items):\n    return sorted(items)\n```"),
    ],
  },
  malformed_output: {
    shows: [
      () => about("Return only JSON with name and age.", '{"name": "Ada", "age": 36'),
      () => about("Respond in valid JSON.", "{'name': 'Ada', 'age': None}"),
      () => about("Answer as JSON only.", '```json\n{"items": [1, 2,], "total": 3}\n```'),
      () => about("Give me the record.", '{"id": 7, "tags": ["a" "b"], "open": true}'),
    ],
    near: [
      () => about("Return only JSON with name and age.", '{"name": "Ada", "age": 36}'),
      () => about("Respond in valid JSON.", '```json\n{"name": "Ada"}\n```'),
      () =>
        about(
          "What does the API answer?",
          'It answers something like this:\n\n```json\n{"items": [...], "total": 3}\n```\n\nThe list is cut short here.',
        ),
      () => about("Return JSON lines.", '{"id": 1}\n{"id": 2}\n{"id": 3}'),
      () => about("What does {name} mean in the path?", "[1] It is a parameter. [2] The server fills it in."),
      () => about("Explain JSON.", "JSON is a text format for data. It was derived from JavaScript."),
    ],
  },
  degenerate_repetition: {
    shows: [
      (random) =>
        about(
          pick(random, QUESTIONS),
          `${answer(random, 2)} ${"The result is the same. ".repeat(between(random, 8, 30))}`,
        ),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 1)} ${"a".repeat(between(random, 80, 400))}`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 1)} ${"very ".repeat(between(random, 30, 90))}`),
      (random) =>
        about(
          pick(random, QUESTIONS),
          `Steps:\n${"- Check the log\n- Restart the server\n".repeat(between(random, 8, 20))}`,
        ),
      () => about("今日の天気は？", "今日は晴れです。".repeat(20)),
    ],
    near: [
      (random) =>
        about(
          "Show me a table.",
          `| a | b |\n|---|---|\n${Array.from({ length: 12 }, (_, at) => `| ${at} | ${between(random, 1, 99)} |`).join("\n")}`,
        ),
      () => about("Is it far?", "No, no, no, it is very, very close."),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 2)}\n${"-".repeat(80)}\n${answer(random, 2)}`),
      () => about("Fill in the form.", `Name: ${"_".repeat(60)}\nDate: ${"_".repeat(60)}`),
      (random) =>
        about(
          "List the steps.",
          Array.from(
            { length: 14 },
            (_, at) => `${at + 1}. Open door number ${at + 3} and look for sign ${String.fromCharCode(65 + at)}.`,
          ).join("\n") + answer(random, 1),
        ),
      () => about("Write 'I must not chatter' twenty times.", "I must not chatter. ".repeat(20)),
    ],
  },
  leaked_template: {
    shows: [
      (random) => about(pick(random, QUESTIONS), `${answer(random, 2)}<|im_end|>\n<|im_start|>user`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 2)} [/INST]`),
      (random) => about(pick(random, QUESTIONS), `Hello {{customer_name}}, ${answer(random, 2)}`),
      (random) =>
        about(
          pick(random, QUESTIONS),
          `<tool_call>{"name": "look_up", "arguments": {"q": "x"}}</tool_call> ${answer(random, 1)}`,
        ),
      (random) => about(pick(random, QUESTIONS), `<think>The user wants help.</think>${answer(random, 2)}`),
      (random) => about(pick(random, QUESTIONS), `${answer(random, 2)}\n\n### Instruction:\nWrite more.`),
    ],
    near: [
      () => about("What does <|im_end|> mean?", "The token <|im_end|> ends a message in ChatML."),
      () => about("How do I write a Jinja template?", "Write Hello {{ name }} and pass name to render."),
      () => about("How do I greet in Vue?", "Use this:\n\n```html\n<p>{{ message }}</p>\n```"),
      () => about("What is a set?", "A set such as {a, b, c} has no order, and {x | x > 0} is a rule."),
      () => about("How do I cast in TypeScript?", "Write `value as string` or `<string>value`."),
      (random) => about("Draft a letter.", `Dear [Name],\n\n${answer(random, 3)}\n\n[Your Name]`),
    ],
  },
};

/** Generates broken responses, lookalikes and ordinary ones, deterministically for a stream of random numbers. */
export function brokenResponses(random: Random, perSignal: number): Case[] {
  return Object.entries(MAKERS).flatMap(([signal, { shows, near }]) => [
    ...Array.from({ length: perSignal }, (_, at) => ({
      signal,
      shows: true,
      messages: shows[at % shows.length]!(random),
    })),
    ...Array.from({ length: perSignal }, (_, at) => ({
      signal,
      shows: false,
      messages: near[at % near.length]!(random),
    })),
    ...Array.from({ length: perSignal }, () => ({ signal, shows: false, messages: ordinary(random) })),
  ]);
}
