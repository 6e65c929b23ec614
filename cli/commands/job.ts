import type { Command } from "commander";
import { env } from "@/env";
import { DRAIN_COMMAND, drain, failedRuns, inngestServer, operatorReplay } from "@/server/engine";
import { withDatabase } from "../database";
import { printProgress, printResult, UsageError } from "../output";

const SHOWN = 50;

export function addJob(program: Command) {
  const job = program.command("job").description("background runs of the embedded engine");
  job
    .command("failed")
    .description(`the newest ${SHOWN} runs that have exhausted their retries, with their errors`)
    .action(async (_given: object, command: Command) => {
      const jobs = await withDatabase((db) => failedRuns(db, SHOWN));
      printResult(
        command,
        { jobs },
        jobs.length === 0 ? ["None."] : jobs.map((run) => `${run.id}  ${run.functionId}  ${JSON.stringify(run.error)}`),
      );
    });
  job
    .command("replay <run>")
    .description("queue a failed or cancelled run again")
    .action(async (run: string, _given: object, command: Command) => {
      await withDatabase((db) => operatorReplay(db, run));
      printResult(command, { job: { id: run, state: "queued" } }, [
        "Queued again. Completed steps keep their results.",
      ]);
    });
  job
    .command("drain")
    .description("finish all runs while Whetstone is stopped, before an Inngest server runs the jobs")
    .action(async (_given: object, command: Command) => {
      if (inngestServer(env())) {
        throw new UsageError(
          `Only the embedded engine can finish its runs. Run it without the server: ${DRAIN_COMMAND}`,
        );
      }
      const [{ inngest }, { functions }] = await Promise.all([
        import("@/inngest/client"),
        import("@/inngest/functions"),
      ]);
      await withDatabase((db) =>
        drain({ db, client: inngest, functions }, (left) => printProgress(command, `Unfinished jobs: ${left} …`)),
      );
      printResult(command, { unfinished: 0 }, ["All jobs are finished. An Inngest server can run the next ones."]);
    });
}
