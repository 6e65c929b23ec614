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
        "A file that an import found to hold Examples made from it. Nobody can tell whose words any other holds: it is deleted 30 days after upload, or by the project's retention if that is shorter.",
      in: "datasets/imports/forget-imports",
    },
    person: { holds: "nothing", because: "Clients send data about their own users, who have no account here." },
  },
  manifest: {
    conversation: {
      holds: "words",
      erased: "deleted",
      because: "The frozen Examples of a training; its file goes with any Example in it.",
      in: "fine-tuning/manifests/forget-training",
    },
    person: { holds: "nothing", because: "Clients send data about their own users, who have no account here." },
  },
};
