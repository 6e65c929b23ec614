import { unprocessable } from "@/server/platform/errors";
import { appOf, githubAppCredential, isPrivateKey } from "../trackers/github/github-app";
import { bearer, checkToken, type Kind } from "./kind";
import { trackerProbe } from "./tracker-probe";

export const github: Kind<"github"> = {
  label: "GitHub",
  needsSecret: (settings) =>
    appOf(settings) ? "There is no secret: enter the App's private key." : "There is no secret: enter a token.",
  checkSecret: (secret, _, { appId, installationId }) => {
    const isApp = appId !== null;
    if (isApp !== (installationId !== null))
      throw unprocessable(
        isApp ? "/settings/installationId" : "/settings/appId",
        "A GitHub App needs both its App ID and an installation ID.",
      );
    if (!isApp) checkToken(secret);
    else if (secret && !isPrivateKey(secret))
      throw unprocessable("/secret", "This is not an RSA private key: enter the whole .pem file that GitHub gave you.");
  },
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
