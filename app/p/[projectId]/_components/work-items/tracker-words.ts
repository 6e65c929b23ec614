import { type ConnectionKind, isTracker, type TrackerKind } from "@/server/services/connections/schemas";

type Words = {
  label: string;
  /** The tracker's term for a destination, with an example. */
  destination: string;
  example: string;
  /** Between the destination and the number of a ticket in its key. */
  separator: "#" | "-";
  /** Whether tickets have a type and fields of the tracker's own, which its settings fill in. */
  hasFields: boolean;
};

export const TRACKER_WORDS: Record<TrackerKind, Words> = {
  github: { label: "GitHub", destination: "Repository", example: "owner/repository", separator: "#", hasFields: false },
  gitlab: { label: "GitLab", destination: "Project", example: "group/project", separator: "#", hasFields: false },
  linear: {
    label: "Linear",
    destination: "Team",
    example: "A team's key, such as ENG",
    separator: "-",
    hasFields: false,
  },
  jira: {
    label: "Jira",
    destination: "Project",
    example: "A project's key, such as OPS",
    separator: "-",
    hasFields: true,
  },
};

/** Returns the tracker and the key of a Finding's `repairHandoffRef`: `linear:ENG#12` → `Linear`, `ENG-12`. */
export function ticketOfRef(ref: string): { tracker: string; key: string } {
  const at = ref.indexOf(":");
  const kind = ref.slice(0, at);
  const numbered = ref.slice(at + 1);
  if (!isTracker(kind)) return { tracker: kind, key: numbered };
  const { label, separator } = TRACKER_WORDS[kind];
  return { tracker: label, key: numbered.replace("#", separator) };
}

/** Returns whether a connection is to a tracker whose tickets have fields of its own. */
export const hasFields = ({ kind }: { kind: ConnectionKind }) => isTracker(kind) && TRACKER_WORDS[kind].hasFields;
