import { ownValue } from "@/server/platform/json/own-value";
import type { Role, Shape } from "./schemas";
import type { Mapping } from "./types";

type Rule = {
  shape: Shape;
  /** All of these are present… */
  all: readonly string[];
  /** …and at least one of these, if any are named. */
  some?: readonly string[];
  roles: Mapping;
};

/** Names with the same meaning in every format. */
const EVERYWHERE: Mapping = {
  system: "system",
  system_prompt: "system",
  systemPrompt: "system",
  tools: "tools",
  functions: "tools",
  tags: "tags",
  split: "split",
  id: "id",
  external_id: "externalRef",
  externalId: "externalRef",
  external_ref: "externalRef",
  externalRef: "externalRef",
  weight: "weight",
};

/** The columns of the CSV and Parquet files that we write; the last three contain the payload's parts as JSON. */
export const TABLE_COLUMNS = {
  id: "id",
  external_ref: "externalRef",
  split: "split",
  tags: "tags",
  source_kind: "sourceKind",
  source_ref: "sourceRef",
  source_link: "source",
  input: "input",
  expected_output: "expectedOutput",
  rejected_output: "rejectedOutput",
} as const satisfies Mapping;

/** Langfuse's export of dataset items, as CSV, JSON or JSONL. */
const LANGFUSE = ["status", "sourceTraceId", "sourceObservationId", "datasetId", "datasetName", "htmlSourcePath"];
/** Its exports of traces and of observations. */
const LANGFUSE_TRACES = ["bookmarked", "parentObservationId"];

/** The first matching rule applies. */
const RULES: readonly Rule[] = [
  {
    shape: "lossless",
    all: ["payload"],
    roles: { payload: "payload", source: "source" },
  },
  { shape: "table", all: ["input", "expected_output", "source_kind"], roles: TABLE_COLUMNS },
  {
    shape: "langfuse",
    all: ["input", "expectedOutput"],
    some: LANGFUSE,
    roles: { id: "externalRef", input: "input", expectedOutput: "expectedOutput", status: "status" },
  },
  {
    shape: "langfuse",
    all: ["input", "output"],
    some: LANGFUSE_TRACES,
    roles: { id: "externalRef", input: "input", output: "expectedOutput" },
  },
  {
    shape: "openai_preference",
    all: ["input", "preferred_output", "non_preferred_output"],
    roles: { input: "input", preferred_output: "expectedOutput", non_preferred_output: "rejectedOutput" },
  },
  {
    shape: "preference",
    all: ["chosen", "rejected"],
    roles: {
      prompt: "input",
      question: "input",
      instruction: "input",
      conversations: "input",
      chosen: "expectedOutput",
      rejected: "rejectedOutput",
    },
  },
  {
    shape: "openpipe",
    all: ["messages"],
    some: ["split", "rejected_message"],
    roles: { messages: "messages", rejected_message: "rejectedOutput" },
  },
  {
    shape: "openpipe",
    all: ["input", "output"],
    // Only request logs have the second.
    some: ["split", "cacheHit"],
    roles: { input: "input", output: "expectedOutput" },
  },
  { shape: "sharegpt", all: ["conversations"], roles: { conversations: "messages" } },
  { shape: "openai_chat", all: ["messages"], roles: { messages: "messages" } },
  {
    shape: "kto",
    all: ["prompt", "completion", "label"],
    roles: { prompt: "input", completion: "expectedOutput", label: "label" },
  },
  {
    shape: "prompt_completion",
    all: ["prompt", "completion"],
    roles: { prompt: "input", completion: "expectedOutput" },
  },
];

/** Names by which a column's role is guessed, in lower case without punctuation; the first matching column gets the role. */
const GUESSES: readonly (readonly [Role, readonly string[]])[] = [
  ["messages", ["messages", "conversation", "conversations", "chat", "dialog", "dialogue"]],
  [
    "expectedOutput",
    [
      "expectedoutput",
      "completion",
      "response",
      "answer",
      "output",
      "chosen",
      "assistant",
      "target",
      "ideal",
      "reference",
    ],
  ],
  ["rejectedOutput", ["rejectedoutput", "rejected", "rejectedresponse", "rejectedmessage", "nonpreferredoutput"]],
  ["input", ["prompt", "question", "instruction", "query", "input", "user", "usermessage", "inputs"]],
  ["system", ["system", "systemprompt", "systemmessage"]],
  ["tools", ["tools", "functions"]],
  ["tags", ["tags"]],
  ["split", ["split"]],
  ["externalRef", ["externalid", "externalref"]],
  ["id", ["id"]],
  ["weight", ["weight"]],
];

export type Recognized = { shape: Shape; mapping: Mapping };

const bare = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "");

function guess(names: readonly string[]): Mapping {
  const mapping: Record<string, Role> = Object.fromEntries(names.map((name) => [name, "ignore"]));
  const free = () => names.filter((name) => mapping[name] === "ignore");
  for (const [role, words] of GUESSES) {
    const found = words.flatMap((word) => free().filter((name) => bare(name) === word));
    const taken = role === "input" && bare(found[0] ?? "") === "instruction" ? alpaca(found) : found.slice(0, 1);
    for (const name of taken) mapping[name] = role;
    // A whole conversation already ends with its answer.
    if (role === "messages" && taken.length > 0)
      for (const name of free()) mapping[name] = ownValue(EVERYWHERE, name) ?? "ignore";
    if (role === "messages" && taken.length > 0) return mapping;
  }
  return mapping;
}

/** Alpaca's `instruction` has an optional `input`; both are what the user says. */
const alpaca = (found: readonly string[]) => found.filter((name) => ["instruction", "input"].includes(bare(name)));

/** Returns the format of a row with these keys or columns, and the role of each. */
export function recognize(names: readonly string[]): Recognized {
  const present = new Set(names);
  const rule = RULES.find(
    ({ all, some }) => all.every((name) => present.has(name)) && (!some || some.some((name) => present.has(name))),
  );
  if (!rule) return { shape: "columns", mapping: guess(names) };
  const roleOf = (name: string): Role => ownValue(rule.roles, name) ?? ownValue(EVERYWHERE, name) ?? "ignore";
  return { shape: rule.shape, mapping: Object.fromEntries(names.map((name) => [name, roleOf(name)])) };
}

/** Returns whether rows with this mapping can be read at all: there must be a question and an answer. */
export function isComplete(mapping: Mapping): boolean {
  const roles = new Set(Object.values(mapping));
  return roles.has("payload") || roles.has("messages") || roles.has("expectedOutput");
}
