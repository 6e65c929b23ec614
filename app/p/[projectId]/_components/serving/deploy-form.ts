import { deploymentName } from "@/server/services/serving/deployments/schemas";
import type { Backend, Quantization } from "./backends";

export type DeployForm = {
  checkpointId: string;
  name: string;
  backend: Backend | "auto";
  quantization: Quantization | null;
  timeoutMinutes: number;
  force: boolean;
  /** The name, typed again to force the deployment. */
  typed: string;
};

const NAME_CHARACTERS = 63;
const MINUTE_S = 60;

/** Returns a name for API calls, derived from a display name: `Support, 2nd round` becomes `support-2nd-round`. */
export const nameFrom = (words: string) =>
  words
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^dep_/, "dep-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, NAME_CHARACTERS)
    .replace(/[^a-z0-9]+$/, "");

/** Returns what is wrong with a name; `null` if it can be used. */
export const nameProblem = (name: string): string | null => {
  const parsed = deploymentName.safeParse(name.trim());
  return parsed.success ? null : name.trim() === "" ? "Enter a name." : (parsed.error.issues[0]?.message ?? null);
};

export const isReady = ({ checkpointId, name, force, typed, timeoutMinutes }: DeployForm) =>
  checkpointId !== "" && nameProblem(name) === null && timeoutMinutes > 0 && (!force || typed === name.trim());

export const requestOf = ({ checkpointId, name, backend, quantization, timeoutMinutes, force }: DeployForm) => ({
  checkpointId,
  name: name.trim(),
  backend,
  quantization,
  timeoutSeconds: Math.round(timeoutMinutes * MINUTE_S),
  force,
});
