import { canonicalJson } from "@/server/platform/json/canonical-json";
import { checkJson } from "./check-json";
import { checkMessage, checkWeight } from "./check-message";
import { checkMessages } from "./check-messages";
import { checkTools } from "./check-tools";
import { type ChatProblem, type Fields, Problems } from "./problems";
import { CHAT_KEYS, type ChatAnswer, type ChatPayload } from "./schemas";

/**
 * Returns the value as a payload of `chat/v1`, unchanged, or its problems: at most 100, each with a JSON pointer into the
 * value. Never throws.
 */
export function validateChatPayload(value: unknown): { payload: ChatPayload } | { problems: ChatProblem[] } {
  const problems = new Problems();
  if (checkJson(value, problems)) checkPayload(value, problems);
  return problems.list.length > 0 ? { problems: problems.list } : { payload: value as ChatPayload };
}

function checkPayload(value: unknown, problems: Problems) {
  const payload = problems.object(value, "", CHAT_KEYS.payload);
  if (!payload) return;
  const input = problems.object(payload.input, "/input", CHAT_KEYS.input);
  const toolNames = input && checkTools(input.tools, problems);
  if (input) {
    problems.literal(input.type, "/input/type", "chat");
    checkMessages(input.messages, toolNames, problems);
  }
  const output = checkOutput(payload.expectedOutput, "expectedOutput", toolNames, problems);
  if (output?.weight !== undefined) checkWeight(output.weight, "/expectedOutput/weight", problems);
  if (payload.rejectedOutput === undefined) return;
  checkOutput(payload.rejectedOutput, "rejectedOutput", toolNames, problems);
  if (problems.list.length === 0) checkDiffers(payload as ChatPayload, problems);
}

const WEIGHT_ELSEWHERE = {
  expectedOutput: "Is the weight of an earlier answer. Move it to expectedOutput.weight.",
  rejectedOutput: "A rejected answer has no weight. Remove it.",
};

function checkOutput(
  value: unknown,
  key: "expectedOutput" | "rejectedOutput",
  toolNames: ReadonlySet<string> | undefined,
  problems: Problems,
): Fields | undefined {
  const at = `/${key}`;
  const output = problems.object(value, at, CHAT_KEYS[key]);
  if (!output) return undefined;
  problems.literal(output.type, `${at}/type`, "chat_message");
  const checked = checkMessage(output.message, `${at}/message`, toolNames, problems);
  if (checked?.fields.weight !== undefined) problems.add(`${at}/message/weight`, WEIGHT_ELSEWHERE[key]);
  if (checked && checked.role !== "assistant") problems.literal(checked.role, `${at}/message/role`, "assistant");
  return output;
}

function checkDiffers({ expectedOutput, rejectedOutput }: ChatPayload, problems: Problems) {
  // An answer that is known only to be bad, for KTO, is not to be learnt.
  if (
    !rejectedOutput ||
    expectedOutput.weight === 0 ||
    comparable(expectedOutput.message) !== comparable(rejectedOutput.message)
  )
    return;
  problems.add("/rejectedOutput/message", "Is the same as the expected message. Change it, or remove rejectedOutput.");
}

/** Absent, null and empty content are equivalent. */
const comparable = ({ content, name, tool_calls }: ChatAnswer) =>
  canonicalJson([content?.trim() ?? "", name ?? null, tool_calls ?? null]);
