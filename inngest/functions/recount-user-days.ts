import { db } from "@/db/pool";
import { recountUserDays } from "@/server/services/costs";
import { inngest } from "../client";
import { pollOptions } from "../turns";

/** Of each minute, so that a backlog leaves most of the database's time to others. */
const FOR_MS = 15_000;

export const recountStaleUserDays = inngest.createFunction(pollOptions("recount-user-days"), async ({ step }) =>
  step.run("recount", () => recountUserDays(db(), { forMs: FOR_MS })),
);
