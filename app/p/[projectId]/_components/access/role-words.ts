import { type Capability, ROLE_CAPABILITIES, ROLES, type Role } from "@/server/platform/capabilities";

/** Each role's name, on its own and in a sentence, and a one-line description. */
export const ROLE_WORDS: Record<Role, { label: string; one: string; all: string; may: string }> = {
  viewer: { label: "Viewer", one: "a viewer", all: "viewers", may: "Reads everything, changes nothing." },
  editor: {
    label: "Editor",
    one: "an editor",
    all: "editors",
    may: "Reviews Findings, changes Datasets, starts training, sends telemetry.",
  },
  manager: {
    label: "Manager",
    one: "a manager",
    all: "managers",
    may: "Everything an editor can do, plus model prices, connections, deployments and exports.",
  },
  owner: {
    label: "Owner",
    one: "an owner",
    all: "owners",
    may: "Everything, including members, keys and deletion.",
  },
};

/** Returns which roles have a capability, for use in a sentence: "managers and owners". */
export const whoMay = (capability: Capability) =>
  new Intl.ListFormat("en-GB").format(
    ROLES.filter((role) => ROLE_CAPABILITIES[role].includes(capability)).map((role) => ROLE_WORDS[role].all),
  );
