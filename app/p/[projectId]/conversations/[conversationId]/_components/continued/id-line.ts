/** What sends a conversation's id, by the start of the instrumentation's name; each in the words of its own documentation. */
const LINES: readonly { startsWith: readonly string[]; line: string }[] = [
  { startsWith: ["openinference."], line: "with using_session(conversation_id):" },
  {
    startsWith: ["@arizeai/openinference"],
    line: "context.with(setSession(context.active(), { sessionId: conversationId }), call)",
  },
  // The AI SDK's own telemetry until version 6, then from 7 on.
  { startsWith: ["ai"], line: "experimental_telemetry: { isEnabled: true, metadata: { sessionId: conversationId } }" },
  {
    startsWith: ["gen_ai"],
    line: 'new OpenTelemetry({ enrichSpan: ({ runtimeContext }) => ({ "gen_ai.conversation.id": runtimeContext?.conversationId }) })',
  },
  {
    startsWith: ["opentelemetry.instrumentation.", "@traceloop/"],
    line: 'Traceloop.set_association_properties({"session_id": conversation_id})',
  },
];
const ANY = 'span.setAttribute("gen_ai.conversation.id", conversationId)';

/** Returns the line to add to an application whose spans an instrumentation sends, so that they name their conversation. */
export const idLine = (instrumentation: string | null): string =>
  LINES.find(({ startsWith }) =>
    startsWith.some((start) => (start.length > 6 ? instrumentation?.startsWith(start) : instrumentation === start)),
  )?.line ?? ANY;
