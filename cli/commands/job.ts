import type { Command } from "commander";
import { failedRuns, operatorReplay } from "@/server/engine";
import { withDatabase } from "../database";
import { printResult } from "../output";

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
}
