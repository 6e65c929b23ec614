import { db } from "@/db/pool";
import { measureDueFixes } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { pollOptions } from "../../turns";

export const measureFixes = inngest.createFunction(pollOptions("measure-fixes"), async ({ step }) =>
  step.run("measure", () => measureDueFixes(db())),
);
