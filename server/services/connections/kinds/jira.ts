import { bearer, type Kind } from "./kind";
import { trackerProbe } from "./tracker-probe";

/** Jira Cloud takes `email:token`; a self-hosted server takes a token alone. */
const WITH_EMAIL = /^[^\s:]+@[^\s:]+:/;

export const jira: Kind<"jira"> = {
  label: "Jira",
  needsSecret: () => "There is no secret: enter the account's e-mail address and an API token, as email:token.",
  sign: (secret) =>
    WITH_EMAIL.test(secret)
      ? { headers: { authorization: `Basic ${Buffer.from(secret).toString("base64")}` } }
      : bearer(secret),
  addressHint: "A site's address is https://your-site.atlassian.net.",
  probe: trackerProbe("jira"),
};
