import { z } from "zod";
import { bearer, type Kind, tokenNeeded } from "./kind";

export const modelHub: Kind<"model-hub"> = {
  label: "the model hub",
  needsSecret: tokenNeeded,
  sign: bearer,
  addressHint: "Hugging Face's is https://huggingface.co.",
  probe: async (service) => {
    await service.json({ path: "/api/whoami-v2" }, z.object({ name: z.string() }));
    return [];
  },
};
