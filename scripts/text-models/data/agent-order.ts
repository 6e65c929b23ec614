import { maskedOrder, orderSentences } from "@/server/services/diagnostics/detectors/unsafe-content/injection/orders";
import { windowOf } from "@/server/services/diagnostics/detectors/unsafe-content/injection/window";
import { isHeldOut } from "../../../bench/labelled";
import { type DataSet, dataEntries, dataFile, jsonlFile, labelledConversations } from "../read-data";
import type { Example } from "../train";
import { ORDERS_FOR_PEOPLE, PLANTED_ORDERS } from "./agent-order-samples";

const SENTENCES_MAXIMUM = 60;

/** Returns the sentences that the detector would pass to the model. */
function ordersIn(text: string, positive: boolean, group: string, weight = 1): Example[] {
  return orderSentences(text, SENTENCES_MAXIMUM).map(([start, end]) => ({
    text: maskedOrder(windowOf(text, start, end).text),
    positive,
    group,
    weight,
  }));
}

const distinct = (examples: readonly Example[]) => [
  ...new Map(examples.map((example) => [`${example.positive} ${example.text}`, example])).values(),
];

/** Returns an attacker's first orders with and without "please", because attackers use both. */
const first = (text: string, group: string, weight = 1): Example[] => {
  const bare = text.replace(/^Please (\w)/, (_, letter) => letter.toUpperCase());
  const polite = `Please ${bare.charAt(0).toLowerCase()}${bare.slice(1)}`;
  return [bare, polite].flatMap((variant) => ordersIn(variant, true, group, weight / 2).slice(0, 2));
};

export const agentOrderData: readonly DataSet[] = [
  {
    name: "InjecAgent, attackers' instructions",
    licence: "MIT",
    source: "https://github.com/uiuc-kang-lab/InjecAgent",
    date: "2024-08-05",
    read: (directory) =>
      ["dh", "ds"].flatMap((kind) =>
        jsonlFile(directory, `uiuc-kang-lab/InjecAgent/data/attacker_cases_${kind}.jsonl`).flatMap((row) => {
          const text = String(row["Attacker Instruction"]);
          return first(text, text, 3);
        }),
      ),
  },
  {
    name: "Agent Security Bench, attackers' instructions",
    licence: "MIT",
    source: "https://github.com/agiresearch/ASB",
    date: "2024-12-15",
    read: (directory) =>
      jsonlFile(directory, "agiresearch/ASB/data/all_attack_tools.jsonl").flatMap((row) => {
        const group = `asb ${row["Corresponding Agent"]}`;
        return [
          ...first(String(row["Attacker Instruction"]), group, 0.5),
          ...first(String(row["Attack goal"]), group, 0.5),
        ];
      }),
  },
  {
    name: "BIPIA, text attacks",
    licence: "MIT",
    source: "https://github.com/microsoft/BIPIA",
    date: "2024-02-26",
    read: (directory) =>
      ["train", "test"].flatMap((split) =>
        Object.entries(
          JSON.parse(dataFile(directory, `microsoft/BIPIA/benchmark/text_attack_${split}.json`)) as Record<
            string,
            string[]
          >,
        ).flatMap(([kind, texts]) => texts.flatMap((text) => first(text, `bipia ${kind}`))),
      ),
  },
  {
    name: "TaskTracker, phrases before an injected task",
    licence: "MIT",
    source: "https://github.com/microsoft/TaskTracker",
    date: "2025-09-01",
    read: (directory) =>
      ["saved_injections", "saved_injections_test"].flatMap((file) =>
        dataFile(directory, `microsoft/TaskTracker/datasets/${file}.txt`)
          .split("\n")
          .flatMap((line) => ordersIn(line, true, line.slice(0, 30), 0.5).slice(0, 2)),
      ),
  },
  {
    name: "Planted orders, written for this model",
    licence: "MIT",
    source: "scripts/text-models/data/agent-order-samples.ts",
    date: "2026-11-22",
    read: () => PLANTED_ORDERS.flatMap((text) => first(text, text, 2)),
  },
  {
    name: "Sentences for people, written for this model",
    licence: "MIT",
    source: "scripts/text-models/data/agent-order-samples.ts",
    date: "2026-11-22",
    read: () => ORDERS_FOR_PEOPLE.flatMap((text) => ordersIn(text, false, text, 4)),
  },
  {
    name: "READMEs of 287 packages under the MIT licence",
    licence: "MIT",
    source: "https://www.npmjs.com",
    date: "2026-11-22",
    read: (directory) =>
      distinct(
        dataEntries(directory, "npm-readmes").flatMap((file) =>
          ordersIn(dataFile(directory, `npm-readmes/${file}`), false, file, 0.5),
        ),
      ),
  },
  {
    name: "LLMail-Inject, e-mails without an attack",
    licence: "MIT",
    source: "https://github.com/microsoft/llmail-inject-challenge-analysis",
    date: "2025-06-12",
    read: (directory) =>
      distinct(
        ["level2", "level3", "level4"].flatMap((level) =>
          (
            JSON.parse(dataFile(directory, `microsoft/llmail-inject/emails_data/${level}.json`)) as { emails: string[] }
          ).emails.flatMap((text) => ordersIn(text, false, text.slice(0, 60), 3)),
        ),
      ),
  },
  {
    name: "BIPIA, e-mails without an attack",
    licence: "MIT",
    source: "https://github.com/microsoft/BIPIA",
    date: "2024-02-26",
    read: (directory) =>
      distinct(
        ["train", "test"].flatMap((split) =>
          jsonlFile(directory, `microsoft/BIPIA/benchmark/email/${split}.jsonl`).flatMap(({ context }) =>
            ordersIn(String(context), false, String(context).slice(0, 60), 3),
          ),
        ),
      ),
  },
  {
    name: "tau2-bench, what tools return and policies demand",
    licence: "MIT",
    source: "https://github.com/sierra-research/tau2-bench",
    date: "2025-06-01",
    read: (directory) => said(directory, "tau2.dev.jsonl", ["tool", "system", "assistant"], 1),
  },
  {
    name: "AgentRx, pages and messages of agents",
    licence: "MIT",
    source: "https://github.com/microsoft/AgentRx",
    date: "2025-10-01",
    read: (directory) => said(directory, "agentrx.dev.jsonl", ["tool"], 1),
  },
  {
    name: "Who&When, pages and results (four fifths of the development split)",
    licence: "MIT",
    source: "https://github.com/ag2ai/Agents_Failure_Attribution",
    date: "2025-06-01",
    read: (directory) => said(directory, "whowhen.dev.jsonl", ["tool", "assistant"], 1),
  },
];

function said(directory: string, file: string, roles: readonly string[], weight: number): Example[] {
  return distinct(
    labelledConversations(directory, file)
      .filter(({ id }) => !isHeldOut(id))
      .flatMap(({ id, messages }) =>
        messages.flatMap(({ role, content }) =>
          roles.includes(role) && typeof content === "string" ? ordersIn(content, false, id, weight) : [],
        ),
      ),
  );
}
