import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A question as the model received it. */
export type ReceivedQuestion = {
  model: string;
  system: string;
  user: string;
  /** The Signal that it is about. */
  signal: string;
  body: Record<string, unknown>;
  headers: IncomingHttpHeaders;
};
export type Reply =
  | { content: string | null; refusal?: string; finishReason?: string; usage?: object | null }
  | ((response: ServerResponse) => unknown);

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const failure = (message: string, param: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code: null },
});

/** For tests: an endpoint on loopback that follows the documented behaviour of `POST /v1/chat/completions`. */
export async function startModel(answer: (asked: ReceivedQuestion) => Reply | Promise<Reply>) {
  const asked: ReceivedQuestion[] = [];
  const model = { answer, asked, url: "", stop: async () => {} };
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const body = await text(request);
    if (path !== "/v1/chat/completions") return json(response, failure(`Unknown request URL: ${method} ${path}.`), 404);
    if (method !== "POST") return json(response, failure("Method not allowed."), 405);
    const parsed = JSON.parse(body) as Record<string, unknown>;
    if (typeof parsed.model !== "string")
      return json(response, failure("you must provide a model parameter", "model"), 400);
    const messages = parsed.messages as { role: string; content: string }[] | undefined;
    if (!messages?.length) return json(response, failure("[] is too short - 'messages'", "messages"), 400);
    const said = (role: string) => messages.find((one) => one.role === role)?.content ?? "";
    const question = {
      model: parsed.model,
      system: said("system"),
      user: said("user"),
      signal: /show the problem "([^"]+)"/.exec(said("user"))?.[1] ?? "",
      body: parsed,
      headers,
    };
    asked.push(question);
    const reply = await model.answer(question);
    if (typeof reply === "function") return reply(response);
    return json(response, {
      id: `chatcmpl-${asked.length}`,
      object: "chat.completion",
      created: 1_790_000_000,
      model: parsed.model,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: reply.content, refusal: reply.refusal ?? null },
          finish_reason: reply.finishReason ?? "stop",
        },
      ],
      ...(reply.usage !== null && {
        usage: reply.usage ?? { prompt_tokens: 300, completion_tokens: 50, total_tokens: 350 },
      }),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  model.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return model;
}

/** For tests: the reply of a model that gives this answer. */
export const answering = (answer: object, usage?: object | null): Reply => ({
  content: JSON.stringify(answer),
  ...(usage !== undefined && { usage }),
});

/** For tests: an error as the API sends it. */
export const refusing =
  (status: number, message: string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return json(response, failure(message), status);
  };
