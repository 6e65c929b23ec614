import { streamVerb } from "@/server/platform/stream-verb";
import { writeDrafts } from "../formats";
import { DATASET_FORMATS, FILE_OF } from "../formats/schemas";
import { readSelected, select } from "./read-selected";
import { exportInput } from "./schemas";

/** Enough for a large Dataset and a slow reader. */
const SECONDS = 3600;

const produces = Object.fromEntries(
  DATASET_FORMATS.map((format) => [FILE_OF[format].mediaType, format === "parquet" ? {} : { type: "string" }]),
);

/** Returns a file name that is valid on every system. */
const fileNameOf = (name: string, version: number, format: string, extension: string) =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80)}-v${version}-${format}.${extension}`;

export const exportDataset = streamVerb(
  {
    name: "datasetExports.download",
    summary: "Download a version of a Dataset in a training format.",
    description:
      "`lossless`, `csv` and `parquet` contain payload, tags, split and source, and can be imported again as the same Examples. The other formats leave out what they have no field for and skip Examples that they cannot represent; `datasetExports.preview` lists what and how many. Later changes to the Dataset do not affect a closed version that is being downloaded.",
    capability: "workspace:read",
    effect: "read",
    input: exportInput,
    produces,
    limits: { seconds: SECONDS },
  },
  async (ctx, { format, ...input }, { signal }) => {
    const selected = await select(ctx, input);
    const { mediaType, extension } = FILE_OF[format];
    return {
      mediaType,
      fileName: fileNameOf(selected.name, selected.version, format, extension),
      body: writeDrafts(readSelected(ctx, selected, signal), format),
    };
  },
);
