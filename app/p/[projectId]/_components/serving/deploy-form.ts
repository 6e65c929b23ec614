import { deploymentName } from "@/server/services/serving/deployments/schemas";
import { GGUF_QUANTIZATIONS, tokenizerPre } from "@/server/services/training/settings/schemas";
import type { Backend, Quantization } from "./backends";

export type DeployForm = {
  checkpointId: string;
  name: string;
  backend: Backend | "auto";
  quantization: Quantization | null;
  /** llama.cpp's name of the pre-tokenizer; empty to leave it to its converter. */
  tokenizerPre: string;
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

export const isReady = ({ checkpointId, name, force, typed, timeoutMinutes, tokenizerPre: pre }: DeployForm) =>
  checkpointId !== "" &&
  tokenizerPreProblem(pre) === null &&
  nameProblem(name) === null &&
  timeoutMinutes > 0 &&
  (!force || typed === name.trim());

const isGguf = (quantization: Quantization | null) => GGUF_QUANTIZATIONS.some((one) => one === quantization);

/** Returns whether the form asks for the pre-tokenizer, which only a GGUF file has. */
export const hasTokenizerPre = ({ quantization }: Pick<DeployForm, "quantization">) => isGguf(quantization);

/** Returns what is wrong with a pre-tokenizer; `null` if it can be used or is left out. */
export const tokenizerPreProblem = (name: string): string | null =>
  name.trim() === "" ? null : (tokenizerPre.safeParse(name.trim()).error?.issues[0]?.message ?? null);

export const requestOf = ({
  checkpointId,
  name,
  backend,
  quantization,
  timeoutMinutes,
  force,
  ...rest
}: DeployForm) => ({
  checkpointId,
  name: name.trim(),
  backend,
  quantization,
  ...(isGguf(quantization) && rest.tokenizerPre.trim() !== "" ? { tokenizerPre: rest.tokenizerPre.trim() } : {}),
  timeoutSeconds: Math.round(timeoutMinutes * MINUTE_S),
  force,
});
