import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { ConversationSnapshot, Detector } from "../../types";
import { degenerateRepetition } from "./degenerate-repetition";
import { emptyResponse } from "./empty-response";
import { languageMismatch } from "./language-mismatch";
import { leakedTemplate } from "./leaked-template";
import { malformedOutput } from "./malformed-output";
import { truncatedResponse } from "./truncated-response";

const matches = (detector: Detector, conversation: ConversationSnapshot) =>
  detector.detect(conversation, { keywords: [] }).filter(({ verdict }) => verdict === "match");
const answers = (detector: Detector, question: string, answer: string) =>
  matches(detector, conversationOf(user(question), assistant(answer)));

describe("empty_response", () => {
  test.each(["", " \n ", "\u200b", "null", "[object Object]"])("detects “%s”", (answer) => {
    expect(answers(emptyResponse, "Hi?", answer)).toHaveLength(1);
  });
  test("ignores a tool call, an image or a short reply", () => {
    expect(matches(emptyResponse, conversationOf(user("Hi"), ...called("f", {}, "x"), assistant("Yes.")))).toEqual([]);
    expect(
      matches(emptyResponse, conversationOf(user("Hi"), { role: "assistant", content: [{ type: "image" }] })),
    ).toEqual([]);
    expect(answers(emptyResponse, "How many?", "None of them.")).toEqual([]);
  });
});

describe("truncated_response", () => {
  const prose =
    "First open the settings page and look for the account tab, where all of your devices are listed. ".repeat(3);
  test("detects a reported token limit", () => {
    const conversation = conversationOf(user("Hi"), assistant("Half of"));
    const modelCall = {
      spanId: "s1",
      traceId: "t1",
      name: "chat",
      provider: null,
      requestedModel: "gpt-4o",
      responseModel: null,
      finishReasons: ["length"],
      status: "ok" as const,
      error: null,
      startedAt: 1,
      endedAt: 2,
      usage: null,
    };
    const messages = conversation.messages.map((message) => ({ ...message, spanId: "s1" }));
    const [found] = matches(truncatedResponse, { ...conversation, messages, modelCalls: [modelCall] });
    expect(found).toMatchObject({
      cause: "the model stopped at its token limit",
      evidence: [{ messageIndex: 1, spanId: "s1" }],
    });
  });
  test("detects text that breaks off and unclosed code", () => {
    expect(answers(truncatedResponse, "How?", `${prose}After that, go to the`)).toHaveLength(1);
    expect(answers(truncatedResponse, "How?", "Like so:\n\n```js\nconst a = [1, 2")).toHaveLength(1);
  });
  test("ignores a cut-off line in a channel if its speaker continues it", () => {
    const said = (name: string, content: string) => ({ role: "assistant", name, content });
    const log = [user("Hi"), said("ada", `${prose}After that, go to the`), said("alan", "Hm."), said("ada", "door.")];
    expect(matches(truncatedResponse, conversationOf(...log))).toEqual([]);
    expect(matches(truncatedResponse, conversationOf(...log.slice(0, 2)))).toHaveLength(1);
  });
  test("ignores a signature, a list or a complete text", () => {
    for (const end of [
      "",
      "\n\nBest regards,\nAda",
      "\n\n- one\n- two",
      " https://example.com/a",
      "\n\n```js\na()\n```",
      "\n```",
    ]) {
      expect(answers(truncatedResponse, "How?", prose + end)).toEqual([]);
    }
  });
});

describe("malformed_output", () => {
  test("detects requested JSON that does not parse", () => {
    expect(answers(malformedOutput, "Respond in valid JSON.", "{'a': None}")).toHaveLength(1);
    expect(answers(malformedOutput, "Return only JSON.", '```json\n{"a": 1,}\n```')).toHaveLength(1);
    expect(answers(malformedOutput, "Go on.", '{"a": 1 "b": 2}')).toHaveLength(1);
  });
  test("ignores valid JSON, illustrations and prose", () => {
    expect(answers(malformedOutput, "Respond in valid JSON.", '{"a": null}')).toEqual([]);
    expect(answers(malformedOutput, "Return JSON lines.", '{"a": 1}\n{"a": 2}')).toEqual([]);
    expect(answers(malformedOutput, "What comes back?", 'Like this:\n```json\n{"items": [...]}\n```')).toEqual([]);
    expect(answers(malformedOutput, "Explain.", "[1] This is a note.")).toEqual([]);
  });
});

describe("language_mismatch", () => {
  const english =
    "The museum is open from nine to five on every day of the week, and you can buy the tickets at the door.";
  const french =
    "Le musée est ouvert de neuf heures à dix-sept heures tous les jours de la semaine, et vous pouvez acheter les billets sur place.";
  test.each([
    ["asked for by name", "When is the museum open? Answer in French.", english],
    ["asked for at the end, in other words", "Write a short text about the museum in Korean", english],
    [
      "spoken",
      "Pouvez-vous me dire quand le musée est ouvert et combien coûtent les billets pour les enfants ?",
      english,
    ],
    ["of another script", "博物馆什么时候开门？门票多少钱？", english],
    [
      "asked for over the question's own",
      "Pouvez-vous me dire quand le musée est ouvert ? Répondez en anglais.",
      french,
    ],
  ])("detects an answer not in the language that is %s", (_, question, answer) =>
    expect(answers(languageMismatch, question, answer)).toHaveLength(1),
  );

  test.each([
    ["the same", "Can you tell me when the museum is open and what the tickets cost?", english],
    ["asked for", "Can you tell me when the museum is open? Answer in French.", french],
    [
      "a translation",
      "Translate this into French for me, please: the museum is open on every day of the week.",
      french,
    ],
    ["named", "How does one greet people in French? I would like to know the words for it.", french],
    [
      "code",
      "Peux-tu me montrer comment on lit un fichier avec Python et comment on le ferme ?",
      "```python\nwith open('a') as the_file:\n    for line in the_file:\n        print(line)\n```",
    ],
    ["too short to tell", "Bonjour", "OK, done!"],
  ])("does not match when it is %s", (_, question, answer) =>
    expect(answers(languageMismatch, question, answer)).toEqual([]),
  );

  test("is one cause for answers in one language, whichever was expected", () => {
    const [german] = answers(languageMismatch, "When is the museum open? Answer in German.", english);
    const [spanish] = answers(languageMismatch, "When is the museum open? Answer in Spanish.", english);
    expect(german!.cause).toBe(spanish!.cause);
    expect(german!.summary).toContain("German was asked for");
  });

  test("applies the language set by instructions", () => {
    const system = { role: "system", content: "You help visitors. Always answer in English, whatever they write." };
    const question = user("Pouvez-vous me dire quand le musée est ouvert et combien coûtent les billets ?");
    expect(matches(languageMismatch, conversationOf(system, question, assistant(english)))).toEqual([]);
    expect(matches(languageMismatch, conversationOf(system, question, assistant(french)))).toHaveLength(1);
  });
});

describe("degenerate_repetition", () => {
  test.each([
    ["a phrase", "The result is the same. ".repeat(12)],
    ["a word", `It is ${"very ".repeat(40)}`],
    ["a character", `Well${"!".repeat(200)}`],
    ["a line", "- Check the log\n- Restart the server\n".repeat(9)],
    ["a phrase without spaces", "今日は晴れです。".repeat(20)],
  ])("detects %s repeated", (_, answer) => expect(answers(degenerateRepetition, "Why?", answer)).toHaveLength(1));

  test("ignores rulers, tables, emphasis and requested repetition", () => {
    expect(answers(degenerateRepetition, "Why?", `One.\n${"-".repeat(200)}\nTwo.`)).toEqual([]);
    expect(answers(degenerateRepetition, "Why?", `| a | b |\n${"|---".repeat(40)}|\n| 1 | 2 |`)).toEqual([]);
    expect(answers(degenerateRepetition, "Why?", `  raise Broken\n  ${"^".repeat(80)}\nBroken`)).toEqual([]);
    expect(answers(degenerateRepetition, "Far?", "No, no, no, no, it is not far.")).toEqual([]);
    expect(answers(degenerateRepetition, "Write it twenty times.", "I must not chatter. ".repeat(20))).toEqual([]);
  });
});

describe("leaked_template", () => {
  test.each([
    "All done.<|im_end|>",
    "Sure [/INST]",
    "Hello {{customer_name}}, welcome.",
    "<think>Hm.</think>Yes.",
    '<tool_call>{"name": "x"}</tool_call>',
  ])("detects %s", (answer) => {
    expect(answers(leakedTemplate, "Help?", answer)).toHaveLength(1);
  });
  test("ignores code and tokens that the user mentioned", () => {
    expect(answers(leakedTemplate, "Help?", "Use this:\n```html\n<p>{{ message }}</p>\n```")).toEqual([]);
    expect(answers(leakedTemplate, "What is <|im_end|>?", "The token <|im_end|> ends a message.")).toEqual([]);
    expect(answers(leakedTemplate, "Where?", "Search at https://example.com/?q={search_term}.")).toEqual([]);
    expect(answers(leakedTemplate, "How?", "Read this first.\n\n### Instructions:\n1. Open it.")).toEqual([]);
    expect(answers(leakedTemplate, "What is a set?", "A set {a, b} has no order.")).toEqual([]);
  });
});
