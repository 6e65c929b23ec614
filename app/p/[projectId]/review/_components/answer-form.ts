import type { ChatAnswer, ChatPayload } from "@/server/services/datasets/chat-payload/schemas";

/** An answer while it is being edited: its text, and the arguments of its tool calls. */
export type AnswerForm = { content: string; arguments: string[] };

export const formOfAnswer = ({ content, tool_calls }: ChatAnswer): AnswerForm => ({
  content: content ?? "",
  arguments: (tool_calls ?? []).map((call) => call.function.arguments),
});

/** Returns the edited answer. Empty text next to tool calls stays absent. */
export function answerOfForm(before: ChatAnswer, form: AnswerForm): ChatAnswer {
  const { content: _, tool_calls: calls, ...rest } = before;
  const text = form.content.trim() === "" && calls ? null : form.content;
  return {
    ...rest,
    content: text,
    ...(calls
      ? {
          tool_calls: calls.map((call, index) => ({
            ...call,
            function: { ...call.function, arguments: form.arguments[index] ?? call.function.arguments },
          })),
        }
      : {}),
  };
}

/** Returns the payload with another expected answer and, if given, a rejected one. */
export const withAnswers = (payload: ChatPayload, expected: ChatAnswer, rejected: ChatAnswer | null): ChatPayload => ({
  ...payload,
  expectedOutput: { ...payload.expectedOutput, message: expected },
  ...(rejected ? { rejectedOutput: { type: "chat_message" as const, message: rejected } } : {}),
});
