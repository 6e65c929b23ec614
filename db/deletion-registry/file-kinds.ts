import type { FILE_KINDS } from "../schema/enumerations";
import type { Entry } from "./vocabulary";

type FileKind = (typeof FILE_KINDS)[number];

/** What files of each kind contain and how a deletion reaches them. All are deleted with their project, contents first. */
export const FILE_KIND_ENTRIES: Record<FileKind, Pick<Entry, "conversation" | "person">> = {
  import: {
    conversation: {
      holds: "words",
      erased: "deleted",
      because:
        "A file in which an import found Examples made from it. Whose words any other file contains is unknown: it is deleted 30 days after upload, or earlier if the project's retention is shorter.",
      in: "datasets/imports/forget-imports",
    },
    person: { holds: "nothing", because: "Clients send data about their own users, who have no account here." },
  },
  manifest: {
    conversation: {
      holds: "words",
      erased: "deleted",
      because: "The frozen Examples of a training; the file is deleted with any Example in it.",
      in: "training/manifests/forget-training",
    },
    person: { holds: "nothing", because: "Clients send data about their own users, who have no account here." },
  },
};
