import { NOW } from "./conversations";
import type { SentAttributes, SentSpan } from "./encode-otlp";

const json = JSON.stringify;
export const LOOK = { name: "look", arguments: '{"at":"Oslo"}' };
const flat = (prefix: string, messages: SentAttributes[]): SentAttributes =>
  Object.fromEntries(
    messages.flatMap((message, index) =>
      Object.entries(message).map(([name, value]) => [`${prefix}${index}.${name}`, value]),
    ),
  );

/** One model call, as each client reports it: a question, a tool call with its result, and the final response. */
export const CONVENTIONS: [name: string, span: SentSpan][] = [
  [
    "OpenTelemetry GenAI, JSON text",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": json([{ type: "text", content: "Be brief." }]),
        "gen_ai.input.messages": json([
          { role: "user", parts: [{ type: "text", content: "Weather?" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { at: "Oslo" } }] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "rain" }] },
        ]),
        "gen_ai.output.messages": json([
          { role: "assistant", parts: [{ type: "text", content: "It rains." }], finish_reason: "stop" },
        ]),
      },
    },
  ],
  [
    "OpenTelemetry GenAI, structured, system prompt twice",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system_instructions": [{ type: "text", content: "Be brief." }],
        "gen_ai.input.messages": [
          { role: "system", parts: [{ type: "text", content: "Be brief." }] },
          { role: "user", parts: [{ type: "text", content: "Weather?" }] },
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { at: "Oslo" } }] },
          { role: "user", parts: [{ type: "tool_call_response", id: "c1", result: "rain" }] },
        ],
        "gen_ai.output.messages": "It rains.",
      },
    },
  ],
  [
    "OpenLLMetry, flattened",
    {
      attributes: {
        "llm.request.type": "chat",
        ...flat("gen_ai.prompt.", [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            "tool_calls.0.id": "c1",
            "tool_calls.0.name": "look",
            "tool_calls.0.arguments": LOOK.arguments,
          },
          { role: "tool", content: "rain", tool_call_id: "c1" },
        ]),
        ...flat("gen_ai.completion.", [{ role: "assistant", content: "It rains.", finish_reason: "stop" }]),
      },
    },
  ],
  [
    "OpenLLMetry, one JSON text, OpenAI's shape",
    {
      attributes: {
        "llm.request.type": "completion",
        "gen_ai.prompt": json([
          { role: "developer", content: "Be brief." },
          { role: "user", content: "Weather?" },
          { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: LOOK }] },
          { role: "tool", content: "rain", tool_call_id: "c1" },
        ]),
        "gen_ai.completion": json({ text: "It rains.", finish_reason: "stop" }),
      },
    },
  ],
  [
    "OpenInference, flattened",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        ...flat("llm.input_messages.", [
          {
            "message.role": "system",
            "message.contents.0.message_content.type": "text",
            "message.contents.0.message_content.text": "Be brief.",
          },
          { "message.role": "user", "message.content": "Weather?" },
          {
            "message.role": "assistant",
            "message.tool_calls.0.tool_call.id": "c1",
            "message.tool_calls.0.tool_call.function.name": "look",
            "message.tool_calls.0.tool_call.function.arguments": LOOK.arguments,
            "message.contents.0.message_content.type": "tool_use",
            "message.contents.0.tool_call.id": "c1",
            "message.contents.0.tool_call.function.name": "look",
            "message.contents.0.tool_call.function.arguments": LOOK.arguments,
          },
          { "message.role": "tool", "message.content": "rain", "message.tool_call_id": "c1" },
        ]),
        ...flat("llm.output_messages.", [{ "message.role": "assistant", "message.content": "It rains." }]),
      },
    },
  ],
  [
    "OpenInference, request and response of OpenAI's responses API",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        "input.value": json({
          model: "o4-mini",
          instructions: "Be brief.",
          input: [
            { role: "user", content: "Weather?" },
            { type: "function_call", call_id: "c1", ...LOOK },
            { type: "function_call_output", call_id: "c1", output: "rain" },
          ],
        }),
        "output.value": json({
          id: "r1",
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "It rains." }] }],
        }),
      },
    },
  ],
  [
    "AI SDK",
    {
      attributes: {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json([
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Weather?" }] },
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "Oslo" } }],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "rain" } },
            ],
          },
        ]),
        "ai.response.text": "It rains.",
      },
    },
  ],
  [
    "Anthropic's content blocks",
    {
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json({
          system: [{ type: "text", text: "Be brief." }],
          messages: [
            { role: "user", content: "Weather?" },
            { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: { at: "Oslo" } }] },
            {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "rain" }] }],
            },
          ],
        }),
        "langfuse.observation.output": json({ role: "assistant", content: "It rains." }),
      },
    },
  ],
  [
    "LangChain, through Langfuse with the tools' definitions among the messages",
    {
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json([
          { role: "system", content: "Be brief." },
          { type: "human", content: "Weather?" },
          {
            type: "ai",
            content: "",
            tool_calls: [{ name: "look", args: { at: "Oslo" }, id: "c1", type: "tool_call" }],
          },
          { type: "tool", content: "rain", tool_call_id: "c1" },
          { role: "tool", content: { type: "function", function: { name: "look" } } },
        ]),
        "langfuse.observation.output": json({
          generations: [
            [
              {
                text: "It rains.",
                message: {
                  lc: 1,
                  type: "constructor",
                  id: ["AIMessage"],
                  kwargs: { content: "It rains.", type: "ai" },
                },
              },
            ],
          ],
        }),
      },
    },
  ],
  [
    "Gemini",
    {
      attributes: {
        "gen_ai.operation.name": "generate_content",
        "gcp.vertex.agent.llm_request": json({
          model: "gemini-2.5-flash",
          config: { system_instruction: "Be brief." },
          contents: [
            { role: "user", parts: [{ text: "Weather?" }] },
            { role: "model", parts: [{ functionCall: { id: "c1", name: "look", args: { at: "Oslo" } } }] },
            { role: "user", parts: [{ functionResponse: { id: "c1", name: "look", response: "rain" } }] },
          ],
        }),
        "gcp.vertex.agent.llm_response": json({ content: { role: "model", parts: [{ text: "It rains." }] } }),
      },
    },
  ],
  [
    "Genkit",
    {
      attributes: {
        "genkit:metadata:subtype": "model",
        "genkit:name": "openai/gpt-5",
        "genkit:input": json({
          messages: [
            { role: "system", content: [{ text: "Be brief." }] },
            { role: "user", content: [{ text: "Weather?" }] },
            { role: "model", content: [{ toolRequest: { ref: "c1", name: "look", input: { at: "Oslo" } } }] },
            { role: "tool", content: [{ toolResponse: { ref: "c1", name: "look", output: "rain" } }] },
          ],
        }),
        "genkit:output": json({ message: { role: "model", content: [{ text: "It rains." }] } }),
      },
    },
  ],
  [
    "Strands: events with JSON text",
    {
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents" },
      events: [
        { name: "gen_ai.system.message", at: NOW, attributes: { content: json([{ text: "Be brief." }]) } },
        { name: "gen_ai.user.message", at: NOW, attributes: { content: json([{ text: "Weather?" }]) } },
        {
          name: "gen_ai.assistant.message",
          at: NOW,
          attributes: { content: json([{ toolUse: { toolUseId: "c1", name: "look", input: { at: "Oslo" } } }]) },
        },
        {
          name: "gen_ai.tool.message",
          at: NOW,
          attributes: { content: json([{ toolResult: { toolUseId: "c1", content: [{ text: "rain" }] } }]) },
        },
        {
          name: "gen_ai.choice",
          at: NOW + 1,
          attributes: { finish_reason: "end_turn", message: json([{ text: "It rains." }]) },
        },
      ],
    },
  ],
  [
    "the details event",
    {
      attributes: { "gen_ai.operation.name": "chat" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          at: NOW,
          attributes: {
            "gen_ai.system_instructions": "Be brief.",
            "gen_ai.input.messages": json([
              { role: "user", content: "Weather?" },
              { role: "assistant", tool_calls: [{ id: "c1", function: LOOK }] },
              { role: "tool", tool_call_id: "c1", content: "rain" },
            ]),
            "gen_ai.output.messages": json([{ role: "assistant", content: "It rains." }]),
          },
        },
      ],
    },
  ],
];
