import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readLabelled, snapshotFromLabelled } from "@/bench/labelled";
import { generateVaried } from "@/bench/labelled/generate-varied";
import {
  asEvidenceOfLeads,
  DEFAULT_CONFIGURATION,
  FINDINGS_PER_SUBJECT,
  RULES,
  runDetectors,
} from "@/server/services/diagnostics/rules";
import type { ConversationSnapshot } from "@/server/services/diagnostics/types";
import { groupedCauses, type ReadingOf } from "./diagnostics/grouped-causes";

/**
 * `npm run bench -- findings [DIR…] [--titles]`: counts the Findings of labelled conversations by Signal, and of generated ones
 * that have no word in common.
 */

const GENERATED = 10_000;

const readingsOf = (conversation: ConversationSnapshot): ReadingOf[] =>
  RULES.flatMap((rule) =>
    asEvidenceOfLeads(runDetectors(rule, conversation, DEFAULT_CONFIGURATION).occurrences).map((found) => ({
      ...found,
      ruleId: rule.id,
      conversationId: conversation.id,
    })),
  );

function print(name: string, conversations: readonly ConversationSnapshot[], { titles }: { titles: boolean }) {
  const findings = groupedCauses(conversations.flatMap(readingsOf));
  const perThousand = (count: number) => ((count / conversations.length) * 1000).toFixed(1);
  const once = findings.filter((one) => one.conversations.size === 1).length;
  console.log(`\n${name}: ${conversations.length} conversations, ${findings.length} Findings`);
  const bySubject = Map.groupBy(findings, (one) => one.subject);
  const limited = [...bySubject.values()].reduce(
    (sum, { length }) => sum + Math.min(length, FINDINGS_PER_SUBJECT + 1),
    0,
  );
  console.log(`  ${perThousand(findings.length)} per 1,000 conversations, ${once} of one conversation`);
  console.log(`  ${limited} (${perThousand(limited)} per 1,000) with the limit on Findings of one subject`);
  for (const [signal, own] of Object.entries(Object.groupBy(findings, (one) => one.signal))) {
    console.log(`  ${signal.padEnd(26)}${String(own!.length).padStart(6)}${perThousand(own!.length).padStart(8)}`);
  }
  if (!titles) return;
  for (const {
    title,
    conversations: { size },
  } of findings)
    console.log(`  ${String(size).padStart(6)}  ${title}`);
}

function main() {
  const titles = process.argv.includes("--titles");
  for (const directory of process.argv.slice(2).filter((argument) => !argument.startsWith("--"))) {
    const files = readdirSync(directory).filter((file) => file.endsWith(".jsonl"));
    const read = files.sort().map((file) => ({
      file,
      conversations: readLabelled(readFileSync(path.join(directory, file), "utf8")).conversations.map((one) => ({
        ...snapshotFromLabelled(one),
        id: `${file} ${one.id}`,
      })),
    }));
    for (const { file, conversations } of read) print(file, conversations, { titles });
    print(
      directory,
      read.flatMap(({ conversations }) => conversations),
      { titles: false },
    );
  }
  print("generated", generateVaried(GENERATED).map(snapshotFromLabelled), { titles: false });
}

main();
