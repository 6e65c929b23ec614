// OpenAI's chat completions as serve.mjs understands them: ignores fields that would have no effect here, and refuses
// unsupported ones that would have one.

/** An error as OpenAI's clients read it. */
export class Refusal extends Error {
  constructor(status, message, code, param = null) {
    super(message);
    const type = status < 500 ? "invalid_request_error" : "server_error";
    this.status = status;
    this.document = { error: { message, type, param, code } };
  }
}

/** Returns what a call requests, with the model's own sampling settings for those it omits. Throws a Refusal. */
export function chatRequest(body, { served_model_name: name, defaults }) {
  const refuse = (param, message) => {
    throw new Refusal(400, `${param}: ${message}`, "invalid_request", param);
  };
  const number = (name, least, most) => {
    const value = body[name] ?? null;
    if (value === null) return null;
    if (typeof value !== "number" || !(value >= least && value <= most))
      refuse(name, `must be a number from ${least} to ${most}`);
    return value;
  };
  if (body === null || typeof body !== "object" || Array.isArray(body)) refuse("body", "must be an object");
  if (body.model !== name) throw new Refusal(404, `this server's model is ${name}`, "model_not_found", "model");
  if (!Array.isArray(body.messages) || body.messages.length === 0) refuse("messages", "must contain messages");
  if ((body.n ?? 1) !== 1) refuse("n", "must be 1");
  if (body.logprobs || body.top_logprobs) refuse("logprobs", "are not available with llama.cpp");
  if (body.presence_penalty || body.frequency_penalty || Object.keys(body.logit_bias ?? {}).length > 0)
    refuse("presence_penalty", "penalties and logit_bias are not supported");
  if (body.response_format && body.response_format.type !== "text") refuse("response_format", "must be of type text");
  const stops = typeof body.stop === "string" ? [body.stop] : (body.stop ?? []);
  if (!Array.isArray(stops) || stops.length > 16 || !stops.every((stop) => typeof stop === "string" && stop !== ""))
    refuse("stop", "takes up to 16 non-empty strings");
  const tools =
    Array.isArray(body.tools) && body.tools.length > 0 && body.tool_choice !== "none" ? body.tools : undefined;
  return {
    messages: body.messages.map(plain),
    tools,
    stops,
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    maxTokens: number("max_completion_tokens", 1, 2 ** 31) ?? number("max_tokens", 1, 2 ** 31),
    temperature: number("temperature", 0, 2) ?? defaults.temperature,
    topP: number("top_p", 0, 1) ?? defaults.top_p,
    seed: number("seed", -(2 ** 53), 2 ** 53),
  };
}

function plain(message) {
  const refuse = (text) => {
    throw new Refusal(400, text, "invalid_messages", "messages");
  };
  if (typeof message?.role !== "string") refuse("a message needs a role");
  let content = message.content ?? "";
  if (Array.isArray(content)) {
    if (!content.every((part) => part?.type === "text" && typeof part.text === "string"))
      refuse("content may contain only text");
    content = content.map((part) => part.text).join("");
  }
  if (typeof content !== "string") refuse("content must be text");
  const calls = message.tool_calls?.map((call) => ({ ...call, function: parsedArguments(call.function) }));
  return { ...message, content, ...(calls ? { tool_calls: calls } : {}) };
}

// Templates expect the arguments of a tool call as an object.
function parsedArguments(call) {
  if (typeof call?.arguments !== "string") return call;
  try {
    return { ...call, arguments: JSON.parse(call.arguments) };
  } catch {
    return call;
  }
}
