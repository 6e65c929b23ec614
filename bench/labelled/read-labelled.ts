import { z } from "zod";
import { chatSnapshot } from "@/server/services/diagnostics/chat-snapshot";
import type { ConversationSnapshot } from "@/server/services/diagnostics/types";

const labelledToolCall = z.looseObject({
  id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.unknown(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown() }).nullish(),
});

/** A message of a labelled conversation. `tool_error` is a label and is never passed to a detector. */
const labelledMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(labelledToolCall).nullish(),
  tool_error: z.boolean().nullish(),
});

/** One line of a labelled file. `labels` and `turn_labels` (by message index) come from people or benchmarks. */
export const labelledConversation = z.looseObject({
  id: z.union([z.string(), z.number()]).transform(String),
  messages: z.array(labelledMessage),
  labels: z.record(z.string(), z.unknown()).nullish(),
  turn_labels: z.array(z.looseObject({ index: z.int(), label: z.string() })).nullish(),
});
export type LabelledConversation = z.infer<typeof labelledConversation>;
/** A labelled conversation before validation, as produced by generators. */
export type LabelledInput = z.input<typeof labelledConversation>;

/** An invalid line and the reason. `line` counts from 1. */
export type LabelledError = { line: number; message: string };

/** Parses JSONL into conversations and one error per invalid line. Empty lines are skipped. */
export function readLabelled(jsonl: string): { conversations: LabelledConversation[]; errors: LabelledError[] } {
  const conversations: LabelledConversation[] = [];
  const errors: LabelledError[] = [];
  jsonl.split(/\r?\n/).forEach((text, index) => {
    if (text.trim() === "") return;
    const read = readLine(index === 0 ? text.replace(/^\uFEFF/, "") : text);
    if (typeof read === "string") errors.push({ line: index + 1, message: read });
    else conversations.push(read);
  });
  return { conversations, errors };
}

function readLine(text: string): LabelledConversation | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  const parsed = labelledConversation.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  return `${issue.path.join(".") || "the line"}: ${issue.message}`;
}

/** Converts a conversation to a detector's input, without its labels. */
export const snapshotFromLabelled = ({
  id,
  messages,
}: Pick<LabelledConversation, "id" | "messages">): ConversationSnapshot => chatSnapshot(id, messages);
