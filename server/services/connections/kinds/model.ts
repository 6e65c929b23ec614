import { z } from "zod";
import { bearer, type Kind } from "./kind";

const models = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Any endpoint that speaks OpenAI's API; a local one may do without a key. */
export const model: Kind<"model"> = {
  label: "the model endpoint",
  sign: bearer,
  addressHint: "It usually ends in /v1.",
  probe: async (service, { defaultModel }) => {
    const { data } = await service.json({ path: "/models" }, models);
    if (defaultModel === null || data.some(({ id }) => id === defaultModel)) return [];
    return [`The endpoint does not list the default model "${defaultModel}".`];
  },
};
