import {
  CONNECTION_KINDS,
  type Connection,
  type ConnectionKind,
  DEFAULT_SETTINGS,
  SETTINGS,
} from "@/server/services/connections/schemas";

/** Strings, numbers and lists as their controls represent them; empty is "". */
type Control = string | number | string[];

export type FormValues = {
  kind: ConnectionKind;
  name: string;
  baseUrl: string;
  secret: string;
  forgetSecret: boolean;
  /** Whether a GitHub connection signs in as an App. */
  asApp: boolean;
  settings: Record<string, Control>;
};

const inControl = (value: unknown): Control =>
  Array.isArray(value) ? value.map(String) : typeof value === "number" ? value : value == null ? "" : String(value);

/** The settings of all kinds, so that switching kinds loses no input. */
const controlsOf = (settings: object) => {
  const all = Object.assign({}, ...CONNECTION_KINDS.map((kind) => DEFAULT_SETTINGS[kind]), settings) as object;
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, inControl(value)]));
};

/** Returns whether a connection signs in to GitHub as an App. */
export const isAppConnection = ({ settings }: Pick<Connection, "settings">) =>
  "appId" in settings && settings.appId !== null;

/** Returns the form's initial values: the connection's, or empty ones. */
export const valuesOf = (connection: Connection | null): FormValues => ({
  kind: connection?.kind ?? "model",
  name: connection?.name ?? "",
  baseUrl: connection?.baseUrl ?? "",
  secret: "",
  forgetSecret: false,
  asApp: connection !== null && isAppConnection(connection),
  settings: controlsOf(connection?.settings ?? {}),
});

const APP_SETTINGS: readonly string[] = ["appId", "installationId"];

const settingsOf = ({ kind, settings, asApp }: FormValues) =>
  Object.fromEntries(
    Object.keys(SETTINGS[kind].shape).map((name) => {
      const value = APP_SETTINGS.includes(name) && !asApp ? "" : (settings[name] ?? "");
      return [name, typeof value === "string" ? value.trim() || null : value];
    }),
  );

/** Returns the input that creates a connection. */
export const createInputOf = (values: FormValues) => ({
  kind: values.kind,
  name: values.name,
  ...(values.baseUrl.trim() && { baseUrl: values.baseUrl }),
  ...(values.secret.trim() && { secret: values.secret }),
  settings: settingsOf(values),
});

/** Returns the input that updates one. An unedited secret is left out, which keeps it. */
export const updateInputOf = (connectionId: string, values: FormValues) => ({
  connectionId,
  name: values.name,
  ...(values.baseUrl.trim() && { baseUrl: values.baseUrl }),
  ...(values.forgetSecret ? { secret: null } : values.secret.trim() && { secret: values.secret }),
  settings: settingsOf(values),
});

/** `/settings/dailyUsd` and `["settings", "dailyUsd"]` → the form's name of the field. */
export const fieldName = (path: string | readonly PropertyKey[]) =>
  typeof path === "string" ? path.slice(1).replaceAll("/", ".") : path.map(String).join(".");
