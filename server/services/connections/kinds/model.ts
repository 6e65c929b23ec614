import { z } from "zod";
import { dialectOf } from "../dialects";
import { bearer, type Kind } from "./kind";

const models = z.object({ data: z.array(z.object({ id: z.string(), owned_by: z.string().nullish() })) });
type Model = z.infer<typeof models>["data"][number];

/** llama.cpp serves its only model under any name; Ollama lists a name without a tag as its `latest`. */
const isServed = (name: string, listed: readonly Model[]) =>
  listed.some(({ id }) => id === name || id === `${name}:latest`) ||
  (listed.length === 1 && listed[0]?.owned_by === "llamacpp");

/** Any endpoint with an OpenAI-compatible API, or another that calls are translated for; a local one may work without a key. */
export const model: Kind<"model"> = {
  label: "the model endpoint",
  sign: (secret, _, settings) => dialectOf(settings)?.sign(secret) ?? bearer(secret),
  addressHint: "The address usually ends in /v1 (Google’s in /v1beta).",
  probe: async (service, { defaultModel }) => {
    const { data } = await service.json({ path: "/models" }, models);
    if (defaultModel === null || isServed(defaultModel, data)) return [];
    return [`The endpoint does not list the default model "${defaultModel}".`];
  },
};
