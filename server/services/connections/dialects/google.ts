import { z } from "zod";
import { OutboundError } from "@/server/platform/outbound";
import type { ModelDialect } from "./dialect";

const PREFIX = "models/";
const MODELS_MAX = 1_000;

const models = z.object({ models: z.array(z.object({ name: z.string() })) });
const reply = z.object({ modelVersion: z.string().min(1) });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;
const refusedAs = (status: number, body: string) =>
  status === BAD_REQUEST && body.includes("API_KEY_INVALID") ? UNAUTHORIZED : status;

/** Google's Gemini API. */
export const google: ModelDialect = {
  label: "Google",
  headers: {},
  sign: (secret) => ({ headers: { "x-goog-api-key": secret } }),
  // It is part of an address.
  modelName: /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/,
  async listModels(service) {
    const accepts = (status: number) => status < 300 || status === BAD_REQUEST;
    const query = { pageSize: String(MODELS_MAX) };
    const { status, body } = await service.request({ path: "/models", query, accepts });
    const text = body.toString("utf8");
    if (status === BAD_REQUEST) {
      const refused = refusedAs(status, text);
      throw new OutboundError("status", `The service replied with the status ${refused}.`, { status: refused });
    }
    const { data: listed } = models.safeParse(jsonOf(text));
    if (!listed) throw new OutboundError("unreadable", "The service sent an unexpected reply.");
    return listed.models.map(({ name }) => ({
      id: name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name,
      object: "model",
      created: 0,
      owned_by: "google",
    }));
  },
  async language(model, reached) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ ...reached, apiKey: "-" })(model);
  },
  async embedding(model, reached) {
    const { createGoogle } = await import("@ai-sdk/google");
    const name = model.startsWith(PREFIX) ? model.slice(PREFIX.length) : model;
    return createGoogle({ ...reached, apiKey: "-" }).embeddingModel(name);
  },
  loadsImages: false,
  drops: new Set(["parallel_tool_calls"]),
  cached: null,
  completed: ({ runsToolsInParallel: _, ...options }) => options,
  // Without its signatures it is told not to look for them.
  needsThoughts: false,
  amend: null,
  refusedAs,
  counted: new Set([
    "promptTokenCount",
    "candidatesTokenCount",
    "totalTokenCount",
    "thoughtsTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
  ]),
  answeredBy: (raw) => reply.safeParse(raw).data?.modelVersion ?? null,
};
