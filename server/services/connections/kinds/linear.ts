import { bearer, type Kind, tokenNeeded } from "./kind";
import { trackerProbe } from "./tracker-probe";

/** OAuth tokens are sent as bearer tokens; a personal API key is sent alone in the header. */
const OF_OAUTH = /^lin_oauth_/;

export const linear: Kind<"linear"> = {
  label: "Linear",
  needsSecret: tokenNeeded,
  sign: (secret) => (OF_OAUTH.test(secret) ? bearer(secret) : { headers: { authorization: secret } }),
  addressHint: "Linear's address is https://api.linear.app.",
  probe: trackerProbe("linear"),
};
