import { unprocessable } from "@/server/platform/errors";
import type { ConnectionKind } from "./schemas";

type Given = {
  kind: ConnectionKind;
  baseUrl: string;
  settings: Record<string, unknown>;
  secret: string | null | undefined;
};

/** Refuses the address of a Slack webhook as the secret of a connection to another host. */
export function checkSecret({ kind, baseUrl, settings, secret }: Given): void {
  if (kind !== "webhook" || settings.format !== "slack" || !secret) return;
  if (URL.canParse(secret) && new URL(secret).origin !== new URL(baseUrl).origin)
    throw unprocessable("/secret", `This is an address of another host than ${new URL(baseUrl).origin}.`);
}
