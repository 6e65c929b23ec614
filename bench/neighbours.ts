import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newProject } from "../testbed/data/project";
import { coresBetween, cpuOf } from "./lib/cpu";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { startProduct } from "./lib/product";
import { ratioOf } from "./lib/ratio";
import { startSimulatedClient } from "./lib/simulated-client";

/**
 * Run by `npm run bench -- neighbours`: measures how a neighbour that sends and reads ten times as much affects a project.
 * Windows with and without the neighbour alternate, so that other work on the machine affects both alike.
 */
const TIMES = 10;
const RATIO = 1.2;
const BATCH = 50;
const SPAN_BYTES = 1500;
const WINDOW_MS = 12_000;
/** Stored in both projects before the first window. */
const STORED_SPANS = 10_000;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "6" },
    /** Per second, for the quiet project. The total load must leave the machine headroom, or its cores are what is measured. */
    batches: { type: "string", default: "1" },
    reads: { type: "string", default: "2" },
  },
});
const windows = Math.max(2, Math.round((Number(values.minutes) * 60_000) / WINDOW_MS / 2) * 2);
const pace = { batches: Number(values.batches), reads: Number(values.reads) };

console.log(machine());
const product = await startProduct();
const sql = databaseOf(product.dataDir);
const started = (project: { url: string; projectId: string; secret: string }, options?: { background: boolean }) =>
  startSimulatedClient({ project, connections: 8, batch: { spans: BATCH, bytesPerSpan: SPAN_BYTES } }, options);
const quiet = started({ url: product.url, projectId: product.projectId, secret: product.secret });
const busy = started(await newProject(product.url, product.dataDir), { background: true });
/** Returns the order for a window at `times` the quiet project's pace. */
const paceOf = (times: number) => ({ batches: pace.batches * times, reads: pace.reads * times, ms: WINDOW_MS });

/** Waits until no work of the previous window is left. */
async function untilQuiet() {
  while (Number((await sql`select count(*) from projection_queue`)[0]?.count) > 0) await sleep(100);
  await sleep(500);
}

type Kind = "ingest" | "reads";
/** Milliseconds, by window. */
const took: Record<"alone" | "beside", Record<Kind, number[][]>> = {
  alone: { ingest: [], reads: [] },
  beside: { ingest: [], reads: [] },
};
/** Busy cores of each window, by part of the product. */
const busyCores: Record<"alone" | "beside", ReturnType<typeof coresBetween>[]> = { alone: [], beside: [] };
const neighbour: Record<Kind, number[]> = { ingest: [], reads: [] };
const failed: string[] = [];

try {
  console.log(
    `quiet project: ${pace.batches} batches of ${BATCH} spans and ${pace.reads} reads a second; its neighbour: ${TIMES} times as much; ${windows} windows of ${WINDOW_MS / 1000} s`,
  );
  for (const tenant of [quiet, busy]) {
    await tenant.store(STORED_SPANS);
    await untilQuiet();
    await tenant.read(40);
  }
  for (let nth = 0; nth < windows; nth += 1) {
    // alone, beside, beside, alone, …: drift affects both alike
    const with_ = nth % 4 === 1 || nth % 4 === 2 ? "beside" : "alone";
    await untilQuiet();
    const [before, begun] = [cpuOf(product.pid), performance.now()];
    const [own, other] = await Promise.all([
      quiet.work(paceOf(1)),
      with_ === "beside" ? busy.work(paceOf(TIMES)) : undefined,
    ]);
    busyCores[with_].push(coresBetween(before, cpuOf(product.pid), (performance.now() - begun) / 1000));
    for (const kind of ["ingest", "reads"] as const) {
      took[with_][kind].push(own[kind].took.map(({ value }) => value));
      neighbour[kind].push(...(other?.[kind].took ?? []).map(({ value }) => value));
      failed.push(...own[kind].failed, ...(other?.[kind].failed ?? []));
    }
  }

  const ms = (value: number) => value.toFixed(1).padStart(10);
  const shares = [0.5, 0.95, 0.99];
  console.log(
    `\n${"ms".padEnd(34)}${shares.map((share) => `p${share * 100}`.padStart(10)).join("")}${"calls".padStart(10)}`,
  );
  const row = (what: string, samples: number[]) =>
    console.log(
      `${what.padEnd(34)}${shares.map((share) => ms(percentile(samples, share))).join("")}${String(samples.length).padStart(10)}`,
    );
  for (const kind of ["ingest", "reads"] as const) {
    row(`${kind}, alone`, took.alone[kind].flat());
    row(`${kind}, beside the neighbour`, took.beside[kind].flat());
    row(`${kind} of the neighbour`, neighbour[kind]);
  }
  for (const which of ["alone", "beside"] as const) {
    const parts = (["web", "worker", "database"] as const).map((part) => {
      const shares = busyCores[which].map((cores) => cores[part]);
      return `${part} ${(shares.reduce((sum, share) => sum + share, 0) / shares.length).toFixed(2)}`;
    });
    console.log(`busy cores ${which}: ${parts.join(", ")}, of ${availableParallelism()}`);
  }
  console.log();
  bound("nothing was refused", failed.length === 0, failed[0] ?? "nothing");
  for (const kind of ["ingest", "reads"] as const) {
    const { ratio, low, high } = ratioOf(took.beside[kind], took.alone[kind], 0.95);
    bound(
      `p95 of ${kind} beside the neighbour`,
      ratio <= RATIO,
      `${ratio.toFixed(2)} times as long (95% interval ${low.toFixed(2)} to ${high.toFixed(2)}), at most ${RATIO}`,
    );
  }
} finally {
  await sql.end({ timeout: 5 });
  quiet.close();
  busy.close();
  await product.stop();
}
