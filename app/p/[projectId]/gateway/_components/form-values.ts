import {
  createGatewayAliasInput,
  type GatewayAlias,
  type TargetInput,
} from "@/server/services/gateway/aliases/schemas";
import type { ModelConnection } from "../../_components/variants/use-model-connections";

/** Stands for a deployment among the connections. */
export const DEPLOYMENT = "deployment";

/** A target as it is edited: behind a connection, or of a deployment with this name. */
export type TargetForm = { key: string; via: string; name: string };

export type FormValues = {
  name: string;
  targets: TargetForm[];
  retries: number | string;
  firstTokenSeconds: number | string;
  totalSeconds: number | string;
  maxOutputTokens: number | string;
};

/** Returns another target, of the first connection with the model that it names. */
export function newTarget([connection]: readonly ModelConnection[]): TargetForm {
  return { key: crypto.randomUUID(), via: connection?.id ?? DEPLOYMENT, name: connection?.defaultModel ?? "" };
}

export const initialValues = (alias: GatewayAlias | null, connections: readonly ModelConnection[]): FormValues => ({
  name: alias?.name ?? "",
  targets: alias?.targets.map(({ connectionId, model, deployment }) => ({
    key: crypto.randomUUID(),
    via: connectionId ?? DEPLOYMENT,
    name: model ?? deployment ?? "",
  })) ?? [newTarget(connections)],
  retries: alias?.retries ?? 0,
  firstTokenSeconds: alias?.firstTokenSeconds ?? "",
  totalSeconds: alias?.totalSeconds ?? "",
  maxOutputTokens: alias?.maxOutputTokens ?? "",
});

/** An empty field is no limit. */
const limitOf = (given: number | string) => (given === "" ? null : Number(given));

const targetOf = ({ via, name }: TargetForm): TargetInput =>
  via === DEPLOYMENT ? { deployment: name.trim() } : { connectionId: via, model: name.trim() };

/** Returns what the form says, as the service takes it. */
export const aliasOf = (values: FormValues) => ({
  name: values.name.trim(),
  targets: values.targets.map(targetOf),
  retries: Number(values.retries),
  firstTokenSeconds: limitOf(values.firstTokenSeconds),
  totalSeconds: limitOf(values.totalSeconds),
  maxOutputTokens: limitOf(values.maxOutputTokens),
});

/** Returns the problems of the form by field, those of a target at its name. */
export function problemsOf(values: FormValues): Record<string, string> {
  const issues = createGatewayAliasInput.safeParse(aliasOf(values)).error?.issues ?? [];
  return Object.fromEntries(
    issues.map(({ path: [field, at], message }) =>
      field === "targets" && at !== undefined
        ? [
            `targets.${String(at)}.name`,
            values.targets[Number(at)]?.via === DEPLOYMENT ? DEPLOYMENT_NAME : "Enter the model’s name.",
          ]
        : [String(field), message],
    ),
  );
}
const DEPLOYMENT_NAME = "Enter a deployment’s name: lower-case letters, digits, dots, hyphens and underscores.";
