import type { Ctx } from "@/server/platform/context";
import { createRuleRuns, executeRuleRuns, listFindings } from "@/server/services/diagnostics";
import { storedConversation } from "@/server/services/diagnostics/testing";

/** A question that is like no other; it ends with its number. */
export const questionOf = (n: number) => `${Array.from({ length: 7 }, (_, word) => `w${n}x${word}`).join(" ")} ${n}`;

/** Has all Rules read a conversation. */
export async function diagnosed(ctx: Ctx, { id, lastActivityAt }: { id: string; lastActivityAt: number }) {
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}

/** Returns the id of the project's Finding with a Signal. */
export async function findingWith(ctx: Ctx, wanted: string): Promise<string> {
  const { findings } = await listFindings(ctx, {});
  return findings.find(({ signal }) => signal === wanted)!.id;
}

/** Stores a Finding of empty answers in this many conversations, each with a system prompt of its own. */
export async function emptyAnswers(ctx: Ctx, count: number, systemOf: (n: number) => string) {
  const conversations: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const stored = await storedConversation(ctx, [
      { role: "system", text: systemOf(n) },
      { role: "user", text: questionOf(n) },
      { role: "assistant", text: "" },
      { role: "user", text: "Hello?" },
    ]);
    await diagnosed(ctx, stored);
    conversations.push(stored.id);
  }
  return { findingId: await findingWith(ctx, "empty_response"), conversations };
}
