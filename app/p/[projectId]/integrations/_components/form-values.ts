import {
  CONNECTION_KINDS,
  type Connection,
  type ConnectionKind,
  DEFAULT_SETTINGS,
  SETTINGS,
} from "@/server/services/connections/schemas";

/** A text, a number or a list, each in the form in which its control holds it: nothing entered is "". */
type Control = string | number | string[];

export type FormValues = {
  kind: ConnectionKind;
  name: string;
  baseUrl: string;
  secret: string;
  forgetSecret: boolean;
  settings: Record<string, Control>;
};

const inControl = (value: unknown): Control =>
  Array.isArray(value) ? value.map(String) : typeof value === "number" ? value : value == null ? "" : String(value);

/** Every setting of every kind, so that another kind can be chosen without losing what was entered. */
const controlsOf = (settings: object) => {
  const all = Object.assign({}, ...CONNECTION_KINDS.map((kind) => DEFAULT_SETTINGS[kind]), settings) as object;
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, inControl(value)]));
};

/** What the form begins with: a connection as it is, or nothing entered. */
export const valuesOf = (connection: Connection | null): FormValues => ({
  kind: connection?.kind ?? "model",
  name: connection?.name ?? "",
  baseUrl: connection?.baseUrl ?? "",
  secret: "",
  forgetSecret: false,
  settings: controlsOf(connection?.settings ?? {}),
});

const settingsOf = ({ kind, settings }: FormValues) =>
  Object.fromEntries(
    Object.keys(SETTINGS[kind].shape).map((name) => {
      const value = settings[name] ?? "";
      return [name, typeof value === "string" ? value.trim() || null : value];
    }),
  );

/** What is sent to make a connection. */
export const createInputOf = (values: FormValues) => ({
  kind: values.kind,
  name: values.name,
  ...(values.baseUrl.trim() && { baseUrl: values.baseUrl }),
  ...(values.secret.trim() && { secret: values.secret }),
  settings: settingsOf(values),
});

/** What is sent to change one. A secret that was not entered stays. */
export const updateInputOf = (connectionId: string, values: FormValues) => ({
  connectionId,
  name: values.name,
  ...(values.baseUrl.trim() && { baseUrl: values.baseUrl }),
  ...(values.forgetSecret ? { secret: null } : values.secret.trim() && { secret: values.secret }),
  settings: settingsOf(values),
});

/** `/settings/dailyUsd` and `["settings", "dailyUsd"]` → the name under which the form knows the field. */
export const fieldName = (path: string | readonly PropertyKey[]) =>
  typeof path === "string" ? path.slice(1).replaceAll("/", ".") : path.map(String).join(".");
