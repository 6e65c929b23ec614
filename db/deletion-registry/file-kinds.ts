import type { FILE_KINDS } from "../schema/enumerations";
import type { Entry } from "./vocabulary";

type FileKind = (typeof FILE_KINDS)[number];

/** What the files of each kind hold, and how a deletion reaches them. All of them go with their project, bytes first. */
export const FILE_KIND_ENTRIES: Record<FileKind, Pick<Entry, "conversation" | "person">> = {
  import: {
    conversation: {
      holds: "words",
      erased: "expires",
      because: "Raw material: it goes 30 days after it came, or with the project's retention if that is shorter.",
      in: "retention/run-housekeeping",
    },
    person: { holds: "nothing", because: "What a client sends is its users', who have no account here." },
  },
};
