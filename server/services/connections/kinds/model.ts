import { z } from "zod";
import { bearer, type Kind } from "./kind";

const models = z.object({ data: z.array(z.object({ id: z.string(), owned_by: z.string().nullish() })) });
type Model = z.infer<typeof models>["data"][number];

/** llama.cpp serves its only model under any name; Ollama lists a name without a tag as its `latest`. */
const isServed = (name: string, listed: readonly Model[]) =>
  listed.some(({ id }) => id === name || id === `${name}:latest`) ||
  (listed.length === 1 && listed[0]?.owned_by === "llamacpp");

/** Any endpoint with an OpenAI-compatible API; a local one may work without a key. */
export const model: Kind<"model"> = {
  label: "the model endpoint",
  sign: bearer,
  addressHint: "The address usually ends in /v1.",
  probe: async (service, { defaultModel }) => {
    const { data } = await service.json({ path: "/models" }, models);
    if (defaultModel === null || isServed(defaultModel, data)) return [];
    return [`The endpoint does not list the default model "${defaultModel}".`];
  },
};
