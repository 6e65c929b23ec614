import { ServiceError } from "@/server/platform/errors";
import { problemOf } from "./background/follow";
import type { ServingGates } from "./serving-gates";

const NOT_COMPARED = problemOf(
  "merge_parity_failed",
  "This form has not been compared with the checkpoint.",
  "Deploy it all the same with `force`, or deploy the checkpoint as it is.",
);

export const SERVING_GATES: ServingGates = {
  ensureParity: async (_, { form }) =>
    form === null
      ? { status: "passed", certificateId: null }
      : { status: "failed", certificateId: null, problem: NOT_COMPARED },
  async startComparison() {
    throw new ServiceError("unprocessable", "This version compares no answers to held-out Examples.");
  },
  readComparison: async () => ({ status: "failed", message: "This version compares no answers." }),
};
