import type { Role } from "@/server/platform/capabilities";

/** What each role is called and what it may do, in a line. */
export const ROLE_WORDS: Record<Role, { label: string; may: string }> = {
  viewer: { label: "Viewer", may: "Reads everything, changes nothing." },
  editor: { label: "Editor", may: "Reviews Findings, changes Datasets, starts training, sends telemetry." },
  manager: { label: "Manager", may: "As an editor; also model prices, deployments and exports." },
  owner: { label: "Owner", may: "Everything: also members, keys, connections and deletion." },
};
