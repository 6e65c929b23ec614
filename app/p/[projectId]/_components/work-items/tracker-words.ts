import { isTracker, type TrackerKind } from "@/server/services/connections/schemas";

type Words = {
  label: string;
  /** The tracker's term for a destination, with an example. */
  destination: string;
  example: string;
};

export const TRACKER_WORDS: Record<TrackerKind, Words> = {
  github: { label: "GitHub", destination: "Repository", example: "owner/repository" },
  gitlab: { label: "GitLab", destination: "Project", example: "group/project" },
  linear: { label: "Linear", destination: "Team", example: "A team's key, such as ENG" },
  jira: { label: "Jira", destination: "Project", example: "A project's key, such as OPS" },
};

/** Returns the tracker and the key of a Finding's `repairHandoffRef`: `linear:ENG#12` → `Linear`, `ENG-12`. */
export function ticketOfRef(ref: string): { tracker: string; key: string } {
  const at = ref.indexOf(":");
  const kind = ref.slice(0, at);
  const numbered = ref.slice(at + 1);
  return {
    tracker: isTracker(kind) ? TRACKER_WORDS[kind].label : kind,
    key: kind === "linear" || kind === "jira" ? numbered.replace("#", "-") : numbered,
  };
}
