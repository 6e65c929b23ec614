import { unprocessable } from "@/server/platform/errors";
import type { ConnectionKind } from "../schemas";
import { isPrivateKey } from "../trackers/github/github-app";

type Given = {
  kind: ConnectionKind;
  baseUrl: string;
  settings: Record<string, unknown>;
  secret: string | null | undefined;
};

/** Throws for a secret that cannot belong to the connection, such as one for another host or another kind. */
export function checkSecret({ kind, baseUrl, settings, secret }: Given): void {
  const isApp = kind === "github" && settings.appId != null;
  if (kind === "github" && isApp !== (settings.installationId != null))
    throw unprocessable(
      isApp ? "/settings/installationId" : "/settings/appId",
      "A GitHub App needs both its App ID and an installation ID.",
    );
  if (!secret) return;
  if (isApp && !isPrivateKey(secret))
    throw unprocessable("/secret", "This is not an RSA private key: enter the whole .pem file that GitHub gave you.");
  if (!isApp && secret.includes("\n"))
    throw unprocessable(
      "/secret",
      "A private key is only used by a GitHub App: enter the App ID and the installation ID.",
    );
  if (kind !== "webhook" || settings.format !== "slack") return;
  if (URL.canParse(secret) && new URL(secret).origin !== new URL(baseUrl).origin)
    throw unprocessable("/secret", `This address is not on ${new URL(baseUrl).origin}.`);
}
