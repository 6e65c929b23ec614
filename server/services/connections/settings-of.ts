import { ServiceError } from "@/server/platform/errors";
import { pointerOf } from "@/server/platform/field-errors";
import { type ConnectionKind, SETTINGS } from "./schemas";

/**
 * Validates settings for the kind. Input schemas accept the shapes of all kinds; a setting of another kind is a 422 that names
 * it.
 */
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
