import { z } from "zod";
import { bearer, type Kind, tokenNeeded } from "./kind";

/** Tokens of OAuth are sent as such; a personal API key stands alone in the header. */
const OF_OAUTH = /^lin_oauth_/;

const viewer = z.object({ data: z.object({ viewer: z.object({ id: z.string() }) }) });

export const linear: Kind<"linear"> = {
  label: "Linear",
  needsSecret: tokenNeeded,
  sign: (secret) => (OF_OAUTH.test(secret) ? bearer(secret) : { headers: { authorization: secret } }),
  addressHint: "Linear's own is https://api.linear.app.",
  probe: async (service) => {
    await service.json({ path: "/graphql", method: "POST", json: { query: "{ viewer { id } }" } }, viewer);
    return [];
  },
};
