import { ROLES } from "@/db/schema/enumerations";

/** What a caller may do in a project. API keys carry a set of these; a member's role maps to a set. */
export const CAPABILITIES = [
  "workspace:read",
  "models:manage",
  "model-pricing:read",
  "model-pricing:write",
  "diagnostics:read",
  "diagnostics:write",
  "project:data:read",
  "project:data:write",
  "project:models:manage",
  "telemetry:write",
  "gateway:use",
  "connections:manage",
  "project:admin",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What a person may do outside any project. Owners of the installation have all of these; others have what owners grant. */
export const INSTALLATION_RIGHTS = ["people:manage", "projects:create", "trainers:manage"] as const;
export type InstallationRight = (typeof INSTALLATION_RIGHTS)[number];

export { ROLES };
export type Role = (typeof ROLES)[number];

const READS = [
  "workspace:read",
  "model-pricing:read",
  "diagnostics:read",
  "project:data:read",
] as const satisfies readonly Capability[];
const EDITS = [
  ...READS,
  "diagnostics:write",
  "models:manage",
  "project:data:write",
  "telemetry:write",
  "gateway:use",
] as const satisfies readonly Capability[];

export const ROLE_CAPABILITIES: Record<Role, readonly Capability[]> = {
  viewer: READS,
  editor: EDITS,
  manager: [...EDITS, "model-pricing:write", "project:models:manage", "connections:manage"],
  owner: CAPABILITIES,
};

/** The default key of a new project may send telemetry and read everything, and change nothing. */
export const DEFAULT_KEY_CAPABILITIES: readonly Capability[] = [...READS, "telemetry:write"];

/** Returns the stored capabilities that this version knows; unknown strings grant nothing. */
export const knownCapabilities = (stored: readonly string[]): Capability[] =>
  CAPABILITIES.filter((capability) => stored.includes(capability));
