import { kindOf } from "../kinds";
import { checkToken } from "../kinds/kind";
import type { ConnectionKind } from "../schemas";

type Given = {
  kind: ConnectionKind;
  baseUrl: string;
  /** As validated for the kind. */
  settings: Record<string, unknown>;
  secret: string | null | undefined;
};

/** Throws for a secret that cannot belong to the connection, such as one for another host or another kind. */
export function checkSecret({ kind, baseUrl, settings, secret }: Given): void {
  const check = kindOf(kind).checkSecret ?? checkToken;
  check(secret, { baseUrl }, settings as Parameters<typeof check>[2]);
}
