import { isHeldOut } from "../../../bench/labelled";
import { csvFile, type DataSet, dataEntries, dataFile, jsonlFile, labelledConversations } from "../read-data";
import type { Example } from "../train";
import { everyNth, perGroup } from "./samples";

const REFUSALBENCH = "AppliedScientific/refusalbench/results/snapshots/2026-05";
const GPTFUZZ = "sherdencooper/GPTFuzz/datasets/responses_labeled";
const DIRECTIONS = "andyrdt/refusal_direction/pipeline/runs";
const K_OVERREFUSAL = "Marker-Inc-Korea/K-OverRefusal/outputs/remote_models";

/** Prefixes that programs put before the answer: "[ChatGPT]:", "(🔒Normal Output)". */
const SPEAKER = /^\s*(?:[[(][^\])]{1,30}[\])]:?|[\w ]{1,20}:)\s+/;

export const refusalData: readonly DataSet[] = [
  {
    name: "XSTest completions (four fifths of the development split)",
    licence: "CC-BY-4.0",
    source: "https://github.com/paul-rottger/exaggerated-safety",
    date: "2024-04-01",
    read: (directory) =>
      labelledConversations(directory, "xstest.dev.jsonl").flatMap(({ messages, labels }) => {
        const [question, answer] = [messages[0]?.content, messages.at(-1)?.content];
        if (typeof question !== "string" || typeof answer !== "string" || isHeldOut(question)) return [];
        return [{ text: answer, positive: labels?.refusal === true, group: question, weight: 3 }];
      }),
  },
  {
    name: "RefusalBench 2026-05",
    licence: "MIT",
    source: "https://github.com/AppliedScientific/refusalbench",
    date: "2026-05-29",
    read: readRefusalBench,
  },
  {
    name: "GPTFuzzer responses",
    licence: "MIT",
    source: "https://github.com/sherdencooper/GPTFuzz",
    date: "2024-09-23",
    read: (directory) =>
      perGroup(
        ["evaluate.csv", "train.csv"].flatMap((file) =>
          csvFile(directory, `${GPTFUZZ}/${file}`).map(({ question = "", Response = "", response = "", label }) => ({
            text: (Response || response).replace(SPEAKER, ""),
            positive: label === "0",
            group: `gptfuzz ${question}`,
            weight: 0.2,
          })),
        ),
        10,
      ),
  },
  {
    // Its other runs answer prompts from Alpaca, which are CC-BY-NC.
    name: "Completions of refusal_direction for JailbreakBench's prompts",
    licence: "Apache-2.0",
    source: "https://github.com/andyrdt/refusal_direction",
    date: "2024-10-01",
    read: (directory) =>
      dataEntries(directory, DIRECTIONS).flatMap((model) => {
        const file = `${DIRECTIONS}/${model}/completions/jailbreakbench_baseline_evaluations.json`;
        const { completions } = JSON.parse(dataFile(directory, file)) as {
          completions: { prompt: string; response: string; is_jailbreak_substring_matching: number }[];
        };
        return completions.map(({ prompt, response, is_jailbreak_substring_matching }) => ({
          text: response,
          positive: is_jailbreak_substring_matching === 0,
          group: prompt,
          weight: 0.2,
        }));
      }),
  },
  {
    name: "K-OverRefusal responses",
    licence: "MIT",
    source: "https://github.com/Marker-Inc-Korea/K-OverRefusal",
    date: "2026-07-07",
    read: readKoreanResponses,
  },
  {
    name: "Language Confusion completions (development split)",
    licence: "Apache-2.0",
    source: "https://github.com/for-ai/language-confusion",
    date: "2024-07-01",
    read: (directory) =>
      everyNth(answersOf(directory, "langconf.dev.jsonl", 0.2), 2).filter(
        ({ text }) => !APOLOGY.test(text.slice(0, 200)),
      ),
  },
  {
    name: "tau2-bench and tau-bench agents (development split)",
    licence: "MIT",
    source: "https://github.com/sierra-research/tau2-bench",
    date: "2025-06-01",
    read: (directory) => [
      ...everyNth(answersOf(directory, "tau2.dev.jsonl", 0.3), 4),
      ...everyNth(answersOf(directory, "tau1_airline.dev.jsonl", 0.3), 4),
    ],
  },
];

/** Texts that match may be refusals; nobody has judged them. */
const APOLOGY =
  /sorry|apolog|cannot|can't|unable|desculp|lo siento|lamento|désolé|tut mir leid|申し訳|抱歉|对不起|죄송/i;

/** Returns assistants' answers from data sets without refusals: policy, inability after a tool call, ordinary answers. */
function answersOf(directory: string, file: string, weight: number): Example[] {
  return labelledConversations(directory, file).flatMap(({ id, messages }) =>
    messages.flatMap(({ role, content }) =>
      role === "assistant" && typeof content === "string" && content.length > 20
        ? [{ text: content, positive: false, group: id, weight }]
        : [],
    ),
  );
}

function readRefusalBench(directory: string): Example[] {
  const verdicts = new Map(
    csvFile(directory, `${REFUSALBENCH}/council/adjudicated.csv`)
      .filter(({ compliance_agreement }) => Number(compliance_agreement) === 1)
      .map((row) => [`${row.prompt_id} ${row.model} ${row.trial_idx}`, row.modal_compliance]),
  );
  const rows = dataEntries(directory, `${REFUSALBENCH}/eval`).flatMap((file) =>
    csvFile(directory, `${REFUSALBENCH}/eval/${file}`).flatMap((row) => {
      const verdict = verdicts.get(`${row.prompt_id} ${row.model} ${row.trial_idx}`);
      const text = row.response_text ?? "";
      if (text.length < 20 || text.startsWith("[CONTENT_FILTERED]")) return [];
      if (verdict !== "direct_refusal" && verdict !== "compliance") return [];
      return [{ text, positive: verdict === "direct_refusal", group: `refusalbench ${row.prompt_id}`, weight: 0.4 }];
    }),
  );
  return perGroup(rows, 4);
}

function readKoreanResponses(directory: string): Example[] {
  const responses = dataEntries(directory, K_OVERREFUSAL).flatMap((model) => {
    if (!dataEntries(directory, `${K_OVERREFUSAL}/${model}`).includes("merged")) return [];
    const file = `${K_OVERREFUSAL}/${model}/merged/evaluation_results.jsonl`;
    return jsonlFile(directory, file).flatMap(({ response, prompt_ko, refusal_clf_label }) =>
      typeof response === "string" && /^(?:refusal|compliance)$/.test(String(refusal_clf_label))
        ? [{ text: response, positive: refusal_clf_label === "refusal", group: String(prompt_ko), weight: 0.2 }]
        : [],
    );
  });
  return perGroup(responses, 2);
}
