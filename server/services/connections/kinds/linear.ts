import { bearer, type Kind, tokenNeeded } from "./kind";
import { trackerProbe } from "./tracker-probe";

/** Tokens of OAuth are sent as such; a personal API key stands alone in the header. */
const OF_OAUTH = /^lin_oauth_/;

export const linear: Kind<"linear"> = {
  label: "Linear",
  needsSecret: tokenNeeded,
  sign: (secret) => (OF_OAUTH.test(secret) ? bearer(secret) : { headers: { authorization: secret } }),
  addressHint: "Linear's own is https://api.linear.app.",
  probe: trackerProbe("linear"),
};
