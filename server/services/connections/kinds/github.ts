import { bearer, type Kind, tokenNeeded } from "./kind";
import { trackerProbe } from "./tracker-probe";

export const github: Kind<"github"> = {
  label: "GitHub",
  needsSecret: tokenNeeded,
  sign: (secret) => ({
    headers: {
      ...bearer(secret).headers,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
  }),
  addressHint: "GitHub's own is https://api.github.com; an Enterprise Server's ends in /api/v3.",
  probe: trackerProbe("github"),
};
