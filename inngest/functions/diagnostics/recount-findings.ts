import { db } from "@/db/pool";
import { placeCausesAgain, recountDueFindings } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { pollOptions } from "../../turns";

export const recountFindings = inngest.createFunction(pollOptions("recount-findings"), async ({ step }) => {
  await step.run("place-causes", () => placeCausesAgain(db()));
  return step.run("recount", () => recountDueFindings(db()));
});
