import { appOf, githubAppCredential } from "../trackers/github/github-app";
import { bearer, type Kind } from "./kind";
import { trackerProbe } from "./tracker-probe";

export const github: Kind<"github"> = {
  label: "GitHub",
  needsSecret: (settings) =>
    appOf(settings) ? "There is no secret: enter the App's private key." : "There is no secret: enter a token.",
  exchange: async (secret, request, settings) => {
    const app = appOf(settings);
    return app === null ? secret : githubAppCredential(secret, app, request);
  },
  sign: (credential) => ({
    headers: {
      ...bearer(credential).headers,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
  }),
  addressHint: "GitHub's API address is https://api.github.com; that of an Enterprise Server ends in /api/v3.",
  probe: trackerProbe("github"),
};
