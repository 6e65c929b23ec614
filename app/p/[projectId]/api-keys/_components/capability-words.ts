import type { Capability } from "@/server/platform/capabilities";

/** One line on what each capability allows. */
export const CAPABILITY_WORDS: Record<Capability, string> = {
  "telemetry:write": "Send traces and logs",
  "gateway:use": "Call models through the gateway",
  "workspace:read": "Read Datasets and fine-tuning",
  "project:data:read": "Read conversations and traces",
  "diagnostics:read": "Read Findings, Rules and Rule Runs",
  "model-pricing:read": "Read model prices",
  "diagnostics:write": "Review Findings, start Rule Runs, change their settings",
  "models:manage": "Change Datasets, start training",
  "project:data:write": "Change tuning configurations",
  "model-pricing:write": "Change model prices",
  "project:models:manage": "Deploy and export models",
  "connections:manage": "Manage connections to outside services",
  "project:admin": "Everything an owner can do: members, keys, deletion",
};

export const ALL_CAPABILITIES = Object.keys(CAPABILITY_WORDS) as Capability[];
