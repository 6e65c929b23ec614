import type { Convention } from "../convention";
import { plainMessage, textPart } from "../messages/plain-message";
import { readMessages } from "../messages/read-messages";
import type { MessageSource } from "../readers/message-source";
import { objectIn, text, textOf, value } from "../readers/reader";

export const LIVEKIT: Convention = {
  name: "LiveKit Agents",
  source: "livekit/agents, livekit-agents/livekit/agents/telemetry/trace_types.py at 020428e1",
  marks: { tool: ["lk.function_tool.name"] },
  // The names without `pii` are older.
  inputMessages: [context("lk.pii.chat_ctx"), context("lk.chat_ctx")],
  outputMessages: [response("lk.pii.response."), response("lk.response.")],
  toolName: [text("lk.function_tool.name")],
  toolCallId: [text("lk.function_tool.id")],
  toolArguments: [value("lk.pii.function_tool.arguments"), value("lk.function_tool.arguments")],
  toolResult: [value("lk.pii.function_tool.output"), value("lk.function_tool.output")],
  failed: [
    {
      takes: ["lk.function_tool.is_error"],
      read: ({ "lk.function_tool.is_error": failed }) => failed === true || undefined,
    },
  ],
  usageFigures: [["gen_ai.usage.input_cached_tokens", "cacheRead"]],
  alsoSends: [
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.request.stream",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.text.input_tokens",
    "gen_ai.usage.text.output_tokens",
    "gen_ai.usage.audio.input_tokens",
    "gen_ai.usage.audio.output_tokens",
    "gen_ai.usage.audio.cache_read.input_tokens",
    "gen_ai.usage.image.input_tokens",
    "gen_ai.usage.image.cache_read.input_tokens",
    "gen_ai.usage.text.cache_read.input_tokens",
    "gen_ai.usage.input_text_tokens",
    "gen_ai.usage.input_audio_tokens",
    "gen_ai.usage.output_text_tokens",
    "gen_ai.usage.output_audio_tokens",
    "gen_ai.usage.reasoning_tokens",
    "gen_ai.conversation.id",
    "gen_ai.agent.name",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.description",
    "gen_ai.tool.type",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.tool.definitions",
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.output.type",
    "gen_ai.workflow.name",
    "error.type",
  ],
  unread: {
    "gen_ai.token.type": "an attribute of metrics",
    "gen_ai.retrieval.documents": "what a retriever found is shown with its span",
    "gen_ai.retrieval.query.text": "what a retriever was asked is shown with its span",
    "gen_ai.memory.query.text": "memory is not part of a conversation",
    "gen_ai.memory.records": "memory is not part of a conversation",
    "gen_ai.prompt.variable*": "the filled-in prompt is read",
    "lk.pii.user_input": "the model is given it, and its call is read",
    "lk.pii.instructions": "the model is given them, and its call is read",
    "lk.pii.user_transcript": "the model is given it, and its call is read",
    "lk.pii.input_text": "the text that is spoken is what the model said",
    "lk.pii.participant_identity": "a participant of a room, not always a user",
    "lk.pii.room_name": "a room is no conversation: several sessions share it",
    "lk.pii.sip.phoneNumber": "personal data",
    "lk.sip.*": "telephony",
    "lk.interrupted": "speech that was cut short is no failure",
    "lk.function_tools": "tools that were offered",
    "lk.provider_tools": "tools that were offered",
    "lk.tool_sets": "tools that were offered",
    "lk.response.*": "durations",
    "lk.llm_metrics": "repeats the usage",
    "lk.tts_metrics": "speech is not priced",
    "lk.realtime_model_metrics": "repeats the usage",
    "lk.speech_id": "media, rooms and timing",
    "lk.agent_label": "media, rooms and timing",
    "lk.start_time": "media, rooms and timing",
    "lk.end_time": "media, rooms and timing",
    "lk.retry_count": "media, rooms and timing",
    "lk.provider_request_ids": "media, rooms and timing",
    "lk.participant_id": "media, rooms and timing",
    "lk.participant_kind": "media, rooms and timing",
    "lk.job_id": "media, rooms and timing",
    "lk.agent_name": "media, rooms and timing",
    "lk.cloud_agent_id": "media, rooms and timing",
    "lk.deployment_id": "media, rooms and timing",
    "lk.session_options": "media, rooms and timing",
    "lk.room_sid": "media, rooms and timing",
    "lk.dispatch_id": "media, rooms and timing",
    "lk.job.*": "media, rooms and timing",
    "lk.room.*": "media, rooms and timing",
    "lk.room_io.*": "media, rooms and timing",
    "lk.track_sid": "media, rooms and timing",
    "lk.track_source": "media, rooms and timing",
    "lk.first_frame_delay": "media, rooms and timing",
    "lk.pre_connect_audio.duration": "media, rooms and timing",
    "lk.connection_state": "media, rooms and timing",
    "lk.disconnect_reason": "media, rooms and timing",
    "lk.old_state": "media, rooms and timing",
    "lk.new_state": "media, rooms and timing",
    "lk.close_reason": "media, rooms and timing",
    "lk.close.drain": "media, rooms and timing",
    "lk.shutdown.*": "media, rooms and timing",
    "lk.callback.name": "media, rooms and timing",
    "lk.generation_id": "media, rooms and timing",
    "lk.parent_generation_id": "media, rooms and timing",
    "lk.tts.*": "media, rooms and timing",
    "lk.eou.*": "media, rooms and timing",
    "lk.transcript_confidence": "media, rooms and timing",
    "lk.transcription_delay": "media, rooms and timing",
    "lk.end_of_turn_delay": "media, rooms and timing",
    "lk.on_user_turn_completed_delay": "media, rooms and timing",
    "lk.speech.queue_wait": "media, rooms and timing",
    "lk.e2e_latency": "media, rooms and timing",
  },
};

/** What a model is given, as `{items: […]}`. */
function context(name: string): MessageSource {
  return { takes: [name], read: ({ attributes }) => readMessages(objectIn(attributes[name])?.items, "user") };
}

/** Text and tool calls of the response are separate attributes. */
function response(prefix: string): MessageSource {
  const [said, called] = [`${prefix}text`, `${prefix}function_calls`];
  return {
    takes: [said, called],
    read: ({ attributes }) => {
      const text = textOf(attributes[said]);
      const message = plainMessage("assistant", text === undefined ? [] : [textPart(text)]);
      const calls = attributes[called];
      if (calls !== undefined)
        message.toolCalls.push(...readMessages(calls, "assistant").flatMap(({ toolCalls }) => toolCalls));
      return [message];
    },
  };
}
