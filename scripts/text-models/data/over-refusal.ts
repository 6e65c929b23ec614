import { isHeldOut } from "../../../bench/labelled";
import { type DataSet, dataEntries, dataFile, jsonlFile, labelledConversations } from "../read-data";
import type { Example } from "../train";

const DIRECTIONS = "andyrdt/refusal_direction";
const K_OVERREFUSAL = "Marker-Inc-Korea/K-OverRefusal";

/** Refusals: positive where the request was harmless. */
export const overRefusalData: readonly DataSet[] = [
  {
    name: "XSTest completions (four fifths of the development split)",
    licence: "CC-BY-4.0",
    source: "https://github.com/paul-rottger/exaggerated-safety",
    date: "2024-04-01",
    read: (directory) =>
      labelledConversations(directory, "xstest.dev.jsonl").flatMap(({ messages, labels }) => {
        const [question, answer] = [messages[0]?.content, messages.at(-1)?.content];
        if (typeof question !== "string" || typeof answer !== "string" || isHeldOut(question)) return [];
        if (labels?.refusal !== true) return [];
        return [{ text: answer, positive: labels.unsafe_prompt === false, group: question, weight: 3 }];
      }),
  },
  {
    name: "K-OverRefusal refusals",
    licence: "MIT",
    source: "https://github.com/Marker-Inc-Korea/K-OverRefusal",
    date: "2026-07-07",
    read: (directory) =>
      dataEntries(directory, `${K_OVERREFUSAL}/outputs/remote_models`).flatMap((model) => {
        const folder = `${K_OVERREFUSAL}/outputs/remote_models/${model}`;
        if (!dataEntries(directory, folder).includes("merged")) return [];
        return jsonlFile(directory, `${folder}/merged/evaluation_results.jsonl`).flatMap(
          ({ response, prompt_ko, label, refusal_clf_label }) =>
            typeof response === "string" && refusal_clf_label === "refusal"
              ? [{ text: response, positive: label === "safe", group: String(prompt_ko), weight: 0.2 }]
              : [],
        );
      }),
  },
  {
    // Its other runs answer prompts from Alpaca, which are CC-BY-NC.
    name: "Refusals of refusal_direction for JailbreakBench's prompts",
    licence: "Apache-2.0",
    source: "https://github.com/andyrdt/refusal_direction",
    date: "2024-10-01",
    read: (directory) =>
      dataEntries(directory, `${DIRECTIONS}/pipeline/runs`).flatMap((model) =>
        completions(
          directory,
          `${DIRECTIONS}/pipeline/runs/${model}/completions/jailbreakbench_baseline_evaluations.json`,
        )
          .filter(({ is_jailbreak_substring_matching }) => is_jailbreak_substring_matching === 0)
          .map(({ prompt, response }) => ({ text: response, positive: false, group: prompt, weight: 0.2 })),
      ),
  },
];

type Completion = { prompt: string; response: string; is_jailbreak_substring_matching: number };
const completions = (directory: string, file: string) =>
  (JSON.parse(dataFile(directory, file)) as { completions: Completion[] }).completions;

const HARMFUL_SETS = ["advbench", "harmbench_test", "harmbench_val", "jailbreakbench", "strongreject", "tdc2023"];

/** Requests: positive where they are harmful. */
export const harmfulRequestData: readonly DataSet[] = [
  {
    name: "XSTest questions (four fifths of the development split)",
    licence: "CC-BY-4.0",
    source: "https://github.com/paul-rottger/exaggerated-safety",
    date: "2024-04-01",
    read: (directory) => {
      const questions = new Map<string, boolean>();
      for (const { messages, labels } of labelledConversations(directory, "xstest.dev.jsonl")) {
        const question = messages[0]?.content;
        if (typeof question !== "string" || isHeldOut(question)) continue;
        if (typeof labels?.unsafe_prompt === "boolean") questions.set(question, labels.unsafe_prompt);
      }
      return [...questions].map(([text, positive]): Example => ({ text, positive, group: text, weight: 5 }));
    },
  },
  {
    name: "AdvBench, HarmBench, JailbreakBench, StrongREJECT, TDC 2023 behaviours (as in refusal_direction)",
    licence: "Apache-2.0",
    source: "https://github.com/andyrdt/refusal_direction",
    date: "2024-10-01",
    read: (directory) =>
      HARMFUL_SETS.flatMap((set) =>
        (
          JSON.parse(dataFile(directory, `${DIRECTIONS}/dataset/processed/${set}.json`)) as { instruction: string }[]
        ).map(({ instruction }) => ({ text: instruction, positive: true, group: instruction })),
      ),
  },
  {
    name: "CatQA English",
    licence: "Apache-2.0",
    source: "https://github.com/declare-lab/red-instruct",
    date: "2024-03-08",
    read: (directory) =>
      texts(JSON.parse(dataFile(directory, "declare-lab/red-instruct/harmful_questions/catqa_english.json"))).map(
        (text): Example => ({ text, positive: true, group: text }),
      ),
  },
  {
    name: "OR-Bench prompts (as in K-OverRefusal)",
    licence: "CC-BY-4.0",
    source: "https://github.com/justincui03/or-bench",
    date: "2025-03-03",
    read: (directory) =>
      jsonlFile(directory, `${K_OVERREFUSAL}/outputs/remote_models/gpt-5.5/orbench/evaluation_results.jsonl`).map(
        ({ prompt }) => ({ text: String(prompt), positive: false, group: String(prompt), weight: 0.7 }),
      ),
  },
  {
    name: "K-OverRefusal prompts",
    licence: "MIT",
    source: "https://github.com/Marker-Inc-Korea/K-OverRefusal",
    date: "2026-07-07",
    read: (directory) =>
      jsonlFile(directory, `${K_OVERREFUSAL}/dataset/final/merged_dataset_v2.jsonl`).map(({ prompt_ko, label }) => ({
        text: String(prompt_ko),
        positive: label === "unsafe",
        group: String(prompt_ko),
      })),
  },
  {
    name: "Language Confusion prompts (development split)",
    licence: "Apache-2.0",
    source: "https://github.com/for-ai/language-confusion",
    date: "2024-07-01",
    read: (directory) =>
      labelledConversations(directory, "langconf.dev.jsonl").flatMap(({ messages }) => {
        const content = messages.findLast(({ role }) => role === "user")?.content;
        return typeof content === "string" ? [{ text: content, positive: false, group: content, weight: 0.5 }] : [];
      }),
  },
];

/** Returns the texts of a tree of categories. */
function texts(tree: unknown): string[] {
  if (typeof tree === "string") return tree.length > 15 ? [tree] : [];
  return tree && typeof tree === "object" ? Object.values(tree).flatMap(texts) : [];
}
