import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { LoopbackServer } from "./loopback-server";

/**
 * What the types of `@google/genai` 3.3.0 (`dist/genai.d.ts`, as `generateContentParametersToMldev` writes them) know of requests
 * without hosted tools; anything else is refused, as the Gemini API does.
 */
const text = z.string();
const part = z
  .strictObject({
    text: text.optional(),
    thought: z.boolean().optional(),
    thoughtSignature: text.optional(),
    inlineData: z.strictObject({ mimeType: text.regex(/^\w+\/[\w.+-]+$/), data: z.base64() }).optional(),
    functionCall: z
      .strictObject({ id: text.optional(), name: text, args: z.record(text, z.unknown()).optional() })
      .optional(),
    functionResponse: z
      .strictObject({ id: text.optional(), name: text, response: z.record(text, z.unknown()) })
      .optional(),
  })
  .refine(
    (one) =>
      [one.text, one.inlineData, one.functionCall, one.functionResponse].filter((data) => data !== undefined).length ===
      1,
    "Unable to submit request because it must have exactly one data field in each part.",
  );
const content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(part).min(1) });
const generationConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(1).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  stopSequences: z.array(text).max(5).optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  seed: z.int().optional(),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseJsonSchema: z.record(text, z.unknown()).optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().optional(),
      thinkingLevel: z.enum(["minimal", "low", "medium", "high"]).optional(),
    })
    .optional(),
});
const request = z.strictObject({
  contents: z.array(content).min(1, "contents are required"),
  systemInstruction: z.strictObject({ role: text.optional(), parts: z.array(part).min(1) }).optional(),
  generationConfig: generationConfig.optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: text.regex(/^[a-zA-Z_][\w.-]{0,127}$/),
            description: text.optional(),
            parametersJsonSchema: z.record(text, z.unknown()).optional(),
          }),
        ),
      }),
    )
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]),
        allowedFunctionNames: z.array(text).optional(),
      }),
    })
    .optional(),
});
type Request = z.infer<typeof request>;
type Content = z.infer<typeof content>;
type Part = z.infer<typeof part>;

const embedRequest = z.strictObject({
  model: text.regex(/^models\//),
  content: z.strictObject({ role: text.optional(), parts: z.array(z.strictObject({ text: text.min(1) })).min(1) }),
  outputDimensionality: z.int().optional(),
});
const batchRequest = z.strictObject({ requests: z.array(embedRequest).min(1).max(100) });

/** By https://ai.google.dev/gemini-api/docs/models and …/thought-signatures. */
const MODELS: Readonly<Record<string, { needsSignatures: boolean; hasPenalties: boolean }>> = {
  "gemini-2.5-flash": { needsSignatures: false, hasPenalties: false },
  "gemini-3-flash-preview": { needsSignatures: true, hasPenalties: false },
};
const EMBEDDING_MODEL = "gemini-embedding-2";
/** Tells the service not to look for a signature. */
const SKIPPED = "skip_thought_signature_validator";

const callsIn = ({ parts }: Content) => parts.flatMap((one) => one.functionCall ?? []);
const responsesIn = ({ parts }: Content) => parts.flatMap((one) => one.functionResponse ?? []);

/** Returns why the service refuses a request whose fields are all known; `null` if it does not. */
function problemOf(model: string, asked: Request, signatures: ReadonlySet<string>): string | null {
  const { contents, generationConfig: config = {}, tools, toolConfig } = asked;
  const known = MODELS[model];
  for (const [at, one] of contents.entries()) {
    const [calls, responses] = [callsIn(one), responsesIn(one)];
    const before = contents[at - 1];
    if (calls.length > 0 && (one.role !== "model" || before?.role !== "user")) {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    if (responses.length > 0 && responses.length !== (before ? callsIn(before).length : 0)) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    if (responses.some(({ name }, index) => before && callsIn(before)[index]?.name !== name)) {
      return "Please ensure that the function response names match those of the function call turn.";
    }
    const first = one.parts.find(({ functionCall }) => functionCall);
    if (known?.needsSignatures && first && first.thoughtSignature === undefined) {
      return `Function call is missing a thought_signature in functionCall parts. Function call \`${first.functionCall?.name}\`, position ${at + 1}.`;
    }
    if (one.parts.some(({ thoughtSignature: given = SKIPPED }) => given !== SKIPPED && !signatures.has(given))) {
      return "Thought signature is not valid.";
    }
  }
  const penalty = config.presencePenalty ?? config.frequencyPenalty;
  if (penalty !== undefined && !known?.hasPenalties) return `Penalty is not enabled for models/${model}`;
  if (config.responseJsonSchema && config.responseMimeType !== "application/json") {
    return "`response_json_schema` requires `response_mime_type` to be `application/json`.";
  }
  if (tools && config.responseMimeType === "application/json" && !known?.needsSignatures) {
    return "Function calling with a response mime type: 'application/json' is unsupported";
  }
  const calling = toolConfig?.functionCallingConfig;
  if (calling?.allowedFunctionNames && calling.mode !== "ANY")
    return "allowed_function_names should only be set when mode is ANY.";
  return null;
}

export const GOOGLE_KEY = "AIzaFake0123456789abcdefghijklmnop";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** A server of Google's Gemini API on loopback, which validates what it receives. */
export class GoogleServer extends LoopbackServer {
  readonly received: { path: string; headers: IncomingMessage["headers"]; body: Request }[] = [];
  words = ["Sunny ", "hello ", "world"];
  /** Sends streams up to their first word. */
  isHeld = false;
  /** Replies so to each call. */
  refusal: { status: number; message: string; headers?: Record<string, string> } | null = null;
  /** Calls that ended before their answer. */
  cancelled = 0;
  private count = 0;
  private readonly signatures = new Set<string>();

  constructor() {
    super("/v1beta");
  }

  /** Forgets what was received and set. */
  reset() {
    this.received.length = 0;
    Object.assign(this, { words: ["Sunny ", "hello ", "world"], isHeld: false, refusal: null, cancelled: 0 });
  }

  private refuse(response: ServerResponse, status: number, message: string, more: object = {}, headers = {}) {
    const error = { code: status, message, status: STATUSES[status] ?? "INTERNAL", ...more };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }));
  }

  protected override async handle(incoming: IncomingMessage, response: ServerResponse) {
    const given = (await buffer(incoming)).toString("utf8");
    const url = new URL(incoming.url ?? "/", this.url);
    response.once("close", () => {
      if (!response.writableFinished) this.cancelled++;
    });
    if (incoming.headers["x-goog-api-key"] !== GOOGLE_KEY) {
      const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
      return this.refuse(response, 400, "API key not valid. Please pass a valid API key.", { details });
    }
    const send = (json: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (url.pathname === "/v1beta/models") {
      return send({ models: [...Object.keys(MODELS), EMBEDDING_MODEL].map((name) => ({ name: `models/${name}` })) });
    }
    const [, model = "", method] = /^\/v1beta\/models\/([\w.-]+):(\w+)$/.exec(url.pathname) ?? [];
    this.received.push({ path: url.pathname, headers: incoming.headers, body: JSON.parse(given || "{}") });
    if (this.refusal) {
      return this.refuse(response, this.refusal.status, this.refusal.message, {}, this.refusal.headers);
    }
    if (model === EMBEDDING_MODEL) return this.embed(method, JSON.parse(given), response);
    if (!Object.hasOwn(MODELS, model)) {
      return this.refuse(
        response,
        404,
        `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
      );
    }
    const { data: asked, error } = request.safeParse(JSON.parse(given));
    if (!asked) {
      const [issue] = error.issues;
      const extra = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
      const at = (issue?.path ?? []).map(String).join(".");
      const said = extra ? `Unknown name "${extra}" at '${at}': Cannot find field.` : `${at}: ${issue?.message}`;
      return this.refuse(response, 400, `Invalid JSON payload received. ${said}`);
    }
    const problem = problemOf(model, asked, this.signatures);
    if (problem !== null) return this.refuse(response, 400, problem);
    const whole = this.answerOf(model, asked);
    if (method === "generateContent") return send(whole);
    if (method !== "streamGenerateContent" || url.searchParams.get("alt") !== "sse")
      return this.refuse(response, 404, "");
    return this.stream(whole, response);
  }

  private embed(method: string | undefined, given: unknown, response: ServerResponse) {
    const isBatch = method === "batchEmbedContents";
    const parsed = (isBatch ? batchRequest : embedRequest).safeParse(given);
    if (!parsed.success) return this.refuse(response, 400, parsed.error.issues[0]?.message ?? "");
    const count = "requests" in parsed.data ? parsed.data.requests.length : 1;
    const vectors = Array.from({ length: count }, () => ({ values: [0.25, -0.5] }));
    const usageMetadata = { promptTokenCount: 4 * count };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(isBatch ? { embeddings: vectors, usageMetadata } : { embedding: vectors[0], usageMetadata }));
  }

  /** The first function is called once for each question. */
  private answerOf(model: string, asked: Request) {
    const last = asked.contents.at(-1);
    const first = asked.tools?.[0]?.functionDeclarations[0];
    const isCall = first && last && responsesIn(last).length === 0;
    const signature = `c2ln${++this.count}`;
    this.signatures.add(signature);
    const parts: Part[] = isCall
      ? [{ functionCall: { name: first.name, args: { city: "Ulm" } }, thoughtSignature: signature }]
      : this.words.map((word) => ({ text: word }));
    const thought: Part[] = asked.generationConfig?.thinkingConfig?.includeThoughts
      ? [{ text: "Weather.", thought: true }]
      : [];
    const counts = {
      promptTokenCount: 1_000,
      candidatesTokenCount: 80,
      thoughtsTokenCount: 20,
      cachedContentTokenCount: 400,
    };
    return {
      candidates: [{ content: { role: "model", parts: [...thought, ...parts] }, finishReason: "STOP", index: 0 }],
      usageMetadata: {
        ...counts,
        totalTokenCount: 1_100,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 1_000 }],
        cacheTokensDetails: [{ modality: "TEXT", tokenCount: 400 }],
      },
      modelVersion: model,
      responseId: `resp-${this.count}`,
    };
  }

  private async stream(
    { candidates, ...more }: ReturnType<GoogleServer["answerOf"]>,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const parts = candidates[0]?.content.parts ?? [];
    for (const [at, one] of parts.entries()) {
      const isLast = at === parts.length - 1;
      const candidate = { content: { role: "model", parts: [one] }, index: 0, ...(isLast && { finishReason: "STOP" }) };
      response.write(`data: ${JSON.stringify({ candidates: [candidate], ...more })}\r\n\r\n`);
      if (this.isHeld) await new Promise((resolve) => response.once("close", resolve));
      if (response.destroyed) return;
    }
    response.end();
  }
}
