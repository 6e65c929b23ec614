import { z } from "zod";
import { bearer, type Kind, tokenNeeded } from "./kind";

export const gitlab: Kind<"gitlab"> = {
  label: "GitLab",
  needsSecret: tokenNeeded,
  sign: bearer,
  addressHint: "It ends in /api/v4.",
  probe: async (service) => {
    await service.json({ path: "/user" }, z.object({ username: z.string() }));
    return [];
  },
};
