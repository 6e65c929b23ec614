import { verb } from "@/server/platform/verb";
import { datasetJson, readDatasetRow } from "./read-dataset";
import { datasetIdInput, datasetReply } from "./schemas";

export const getDataset = verb(
  {
    name: "datasets.get",
    summary: "Read one Dataset.",
    description:
      "Its settings for collection, the number of its Examples, and its newest version (0 before the first Example). 404 once it was deleted.",
    effect: "read",
    capability: "workspace:read",
    input: datasetIdInput,
    reply: datasetReply,
  },
  async (ctx, { datasetId }) => ({ dataset: datasetJson(await readDatasetRow(ctx, datasetId)) }),
);
