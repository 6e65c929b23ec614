import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startTemporaryDatabase } from "../scripts/lib/database/temporary-database.mjs";
import { FORMS, type Form, sessionOf } from "./agents/session";
import { cpuOf } from "./lib/cpu";
import { bound, machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- agents`: a live, long session of an agent, where each call sends the whole history in a request of
 * its own and is projected before the next arrives, in this process. Then the same spans are sent to a second project, whose
 * conversation is rebuilt from scratch each time. `cold` is one rebuild of the whole session after a restart. Prints one line
 * of JSON per form.
 */
const WORKER_S_PER_MB = 0.05;
const GROWTH = 1.5;
const READABLE_MS = 500;
const STORED_SHARE = 0.06;
/** Longest time until the projector looks for new spans. */
const POLL_MS = 200;
const WARM_UP_CALLS = 30;
const MB = 1e6;

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "120" },
    /** One or more of `json`, `flattened` and `traces`. */
    form: { type: "string", multiple: true, default: ["json"] },
  },
});
const calls = Number(values.calls);
const forms = FORMS.filter((form) => values.form.includes(form));

process.env.WHETSTONE_SECRET ??= randomBytes(32).toString("base64url");
const database = await startTemporaryDatabase({ throwaway: true });
process.env.DATABASE_URL = database.urlOf("postgres");
// Imported once the database URL is known, because the services read it when they are loaded.
const { prepareDatabase } = await import("@/db/prepare");
const { db } = await import("@/db/pool");
const { projects } = await import("@/db/schema");
const telemetry = await import("@/server/services/telemetry");
const { otlpJson } = await import("@/server/services/telemetry/testing");
const { sql } = await import("drizzle-orm");
type Ctx = import("@/server/platform/context").Ctx;

const ownCpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const databaseCpuMs = () => cpuOf(process.pid).database * 1000;

async function newProject(name: string): Promise<Ctx> {
  const projectId = `prj_${name}` as Ctx["projectId"];
  await db().insert(projects).values({ id: projectId, name });
  return { db: db(), projectId, actor: { kind: "user", userId: "usr_agents", role: "owner" } };
}

async function storedBytes() {
  const [row] = await db().execute<{ bytes: string }>(sql`
    select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`);
  return Number(row?.bytes);
}

type Cache = InstanceType<typeof telemetry.ReadingCache>;
type Passes = { cpu: number[]; wall: number[]; database: number[] };
const noPasses = (): Passes => ({ cpu: [], wall: [], database: [] });

async function project(passes: Passes, cache?: Cache) {
  // Read outside the other two measurements, because reading it takes this process half a millisecond.
  const database = databaseCpuMs();
  const [cpu, begun] = [ownCpuMs(), performance.now()];
  while ((await telemetry.projectPending(db(), cache)) > 0);
  passes.cpu.push(ownCpuMs() - cpu);
  passes.wall.push(performance.now() - begun);
  passes.database.push(databaseCpuMs() - database);
}

const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
/** Returns the CPU time of the last tenth of the passes as a multiple of that of the first. */
const growthOf = ({ cpu }: Passes) => {
  const tenth = Math.ceil(cpu.length / 10);
  return sum(cpu.slice(-tenth)) / sum(cpu.slice(0, tenth));
};

/** Sends a session; `web` is the CPU time of decoding and storing it. */
async function sendSession(ctx: Ctx, form: Form, number: number, spans: number, cache?: Cache) {
  const next = sessionOf(number, form, Date.now() - 3_600_000);
  const passes = noPasses();
  let wire = 0;
  let web = 0;
  for (let n = 0; n < spans; n++) {
    const body = Buffer.from(JSON.stringify(otlpJson([next(n)])));
    wire += body.length;
    const begun = ownCpuMs();
    await telemetry.storeTraces(ctx, telemetry.decodeTraces(body, "json"));
    web += ownCpuMs() - begun;
    await project(passes, cache);
  }
  return { passes, wire, web };
}

/** Rebuilds the whole session as a process that has just started and has nothing cached. */
async function rebuildCold({ projectId }: Ctx) {
  telemetry.forgetReadings(projectId, "all");
  await db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at)
    select project_id, id, 1 from traces where project_id = ${projectId}`);
  const pass = noPasses();
  await project(pass);
  return { workerMs: Math.round(sum(pass.cpu)), wallMs: Math.round(sum(pass.wall)) };
}

async function run(form: Form, number: number) {
  const cache = new telemetry.ReadingCache();
  const bytesBefore = await storedBytes();
  const ctx = await newProject(form);
  const { passes, wire, web } = await sendSession(ctx, form, number, calls, cache);
  const bytes = (await storedBytes()) - bytesBefore;
  const cold = await rebuildCold(ctx);
  const { passes: fromNothing } = await sendSession(await newProject(`${form}-uncached`), form, number, calls);
  const last = passes.wall.slice(-Math.ceil(calls / 10));
  const figures = {
    form,
    calls,
    wireMb: round(wire / MB),
    workerMs: Math.round(sum(passes.cpu)),
    workerSecondsPerMb: round(sum(passes.cpu) / 1000 / (wire / MB)),
    lastOverFirstTenth: round(growthOf(passes)),
    databaseMs: Math.round(sum(passes.database)),
    readableMs: Math.round(percentile(last, 0.5) + POLL_MS),
    storedShare: round(bytes / wire),
    cachedMb: round(cache.bytes / MB),
    webMs: Math.round(web),
    cold,
    fromNothing: {
      workerMs: Math.round(sum(fromNothing.cpu)),
      lastOverFirstTenth: round(growthOf(fromNothing)),
      databaseMs: Math.round(sum(fromNothing.database)),
    },
    load: round(loadavg()[0] ?? 0),
  };
  console.log(JSON.stringify(figures));
  bound(
    `${form}: worker time a MB`,
    figures.workerSecondsPerMb <= WORKER_S_PER_MB,
    `${figures.workerSecondsPerMb} s of ${WORKER_S_PER_MB} s (${figures.workerMs} ms for ${figures.wireMb} MB)`,
  );
  bound(
    `${form}: last tenth over first tenth`,
    figures.lastOverFirstTenth <= GROWTH,
    `${figures.lastOverFirstTenth} of ${GROWTH} times`,
  );
  bound(`${form}: readable after the last span`, figures.readableMs <= READABLE_MS, `${figures.readableMs} ms`);
  bound(
    `${form}: stored bytes over the wire`,
    figures.storedShare <= STORED_SHARE,
    `${(figures.storedShare * 100).toFixed(1)} % of ${STORED_SHARE * 100} %`,
  );
}

const round = (value: number) => Number(value.toPrecision(3));

try {
  console.log(machine());
  await prepareDatabase({ url: process.env.DATABASE_URL, ownerUrl: undefined });
  const warmUp = await newProject("warm-up");
  await sendSession(warmUp, "json", forms.length + 1, WARM_UP_CALLS, new telemetry.ReadingCache());
  await db().execute("analyze");
  for (const [number, form] of forms.entries()) await run(form, number + 1);
} finally {
  await database.stop();
  process.exit();
}
