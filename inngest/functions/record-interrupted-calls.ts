import { db } from "@/db/pool";
import { recordInterruptedCalls } from "@/server/services/gateway";
import { inngest } from "../client";
import { pollOptions } from "../turns";

export const recordInterrupted = inngest.createFunction(pollOptions("record-interrupted-calls"), async ({ step }) =>
  step.run("record", () => recordInterruptedCalls(db())),
);
