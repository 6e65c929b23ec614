import { ServiceError } from "@/server/platform/errors";
import { pointerOf } from "@/server/platform/field-errors";
import { type ConnectionKind, SETTINGS } from "./schemas";

/** Returns settings as the kind has them. Input schemas have the forms of all kinds; what is another kind's is a 422 by name. */
export function settingsOf<Kind extends ConnectionKind>(kind: Kind, settings: Record<string, unknown>) {
  const parsed = SETTINGS[kind].safeParse(settings);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap(({ path, message, ...issue }) =>
    "keys" in issue
      ? issue.keys.map((key) => ({
          path: pointerOf(["settings", key]),
          message: `A ${kind} connection has no such setting.`,
        }))
      : [{ path: pointerOf(["settings", ...path]), message }],
  );
  throw new ServiceError("unprocessable", `These are not settings of a ${kind} connection.`, { errors });
}
