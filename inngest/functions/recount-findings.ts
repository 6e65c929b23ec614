import { db } from "@/db/pool";
import { recountDueFindings } from "@/server/services/diagnostics";
import { inngest } from "../client";
import { pollOptions } from "../turns";

export const recountFindings = inngest.createFunction(pollOptions("recount-findings"), async ({ step }) =>
  step.run("recount", () => recountDueFindings(db())),
);
