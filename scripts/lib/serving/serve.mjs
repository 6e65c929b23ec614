// @ts-check
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { build, COMPILE_CACHE } from "../building/build.mjs";
import { install } from "../building/install.mjs";
import { dataFolder } from "../database/data-folder.mjs";
import { databaseUrls, freePort, portError } from "../database/postgres.mjs";
import { prepareDatabase } from "../database/prepare-database.mjs";
import { LockHeld, waitForLock } from "../system/lock.mjs";
import { OperatorError } from "../system/operator-error.mjs";
import { endOrphans } from "../system/orphans.mjs";
import { inRoot, isPackaged } from "../system/paths.mjs";
import { print, step } from "../system/print.mjs";
import { endForeground } from "../system/processes.mjs";
import { onParentGone, onStopSignal } from "../system/signals.mjs";
import { launchSharingPorts } from "./launch.mjs";
import { openOperationsFile } from "./operations-file.mjs";
import { addressOf, givenDatabase, readSettings } from "./settings.mjs";
import { Supervised } from "./supervised.mjs";

/** How long a start waits for a command (`npm run cli`) that uses the database, or for a server that is stopping. */
const COMMAND_MS = 60_000;

/** Orphaned backends of a killed server end by then: it cancels statements after 20 s by default. */
const LEFTOVERS_MS = 30_000;

/** How long a stop waits for the interrupted step of the start. */
const LAST_STEP_MS = 15_000;

/** A web process that blocks its event loop for this long is not computing a reply that anybody waits for. */
const WEB_SILENT_MS = 30_000;

/**
 * The two modes of serving differ in what is built first and which programs run.
 * @typedef {{
 *   kind: "start" | "dev",
 *   build: boolean,
 *   nodeEnv: "production" | "development",
 *   web: readonly string[],
 *   worker: readonly string[],
 * }} Mode
 */

class Stopped extends Error {}

/** Starts everything, serves until stopped, and stops everything. Resolves with the exit code. @param {Mode} mode */
export async function serve(mode) {
  /** Stop functions of what was started, in order; run in reverse. @type {(() => Promise<void> | void)[]} */
  const started = [];
  let stopping = false;
  /** @type {(reason: unknown) => void} */
  let giveUp = () => {};
  const stopRequested = new Promise((_, reject) => {
    giveUp = reject;
  });
  stopRequested.catch(() => {});
  onStopSignal((_signal, times) => {
    const FORCE_AFTER_SIGNALS = 3;
    if (times >= FORCE_AFTER_SIGNALS) process.exit(1);
    if (times === 1) print("Stopping …");
    stopping = true;
    giveUp(new Stopped());
  });
  onParentGone(() => {
    print("The parent process is gone: stopping …");
    stopping = true;
    giveUp(new Stopped());
  });
  const throwIfStopped = () => {
    if (stopping) throw new Stopped();
  };

  const endAll = async () => {
    for (const end of started.splice(0).reverse()) await end();
  };
  /** @type {import("../system/lock.mjs").Lock | undefined} */
  let lock;
  const holdLock = (/** @type {import("../system/lock.mjs").Lock} */ taken) => {
    lock = taken;
  };
  const booting = boot(mode, { started, holdLock, throwIfStopped, giveUp });
  try {
    await Promise.race([booting, stopRequested]);
    await stopRequested; // serving, until stopped
    return 0;
  } catch (error) {
    stopping = true;
    lock?.update({ stopping: true });
    endForeground();
    await endAll();
    await Promise.race([booting.catch(() => {}), sleep(LAST_STEP_MS)]); // it ends at its next step
    await endAll(); // anything that the step has started since
    lock?.release();
    if (!(error instanceof Stopped)) throw error;
    print("Stopped.");
    return 0;
  }
}

/**
 * @param {Mode} mode
 * @param {{
 *   started: (() => Promise<void> | void)[],
 *   holdLock: (lock: import("../system/lock.mjs").Lock) => void,
 *   throwIfStopped: () => void,
 *   giveUp: (reason: unknown) => void,
 * }} run
 */
async function boot(mode, { started, holdLock, throwIfStopped, giveUp }) {
  const begun = Date.now();
  const settings = readSettings();
  const folder = dataFolder(settings.dataDir);
  print(`Whetstone ${JSON.parse(readFileSync(inRoot("package.json"), "utf8")).version}, data in ${folder.folder}`);

  const lock = await lockFor(mode, folder);
  holdLock(lock);
  await endOrphans(lock, folder.cluster);
  const port = await portFor(settings);
  const address = addressOf({ ...settings, port });
  const webProcesses = webProcessesOf(mode, settings);
  throwIfStopped();

  await install(folder.log("install"));
  throwIfStopped();
  if (mode.build) await build({ log: folder.log("build") });
  throwIfStopped();

  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    NODE_ENV: mode.nodeEnv,
    NEXT_TELEMETRY_DISABLED: "1",
    ...(mode.build && {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || (isPackaged ? folder.compileCache : COMPILE_CACHE),
    }),
    HOST: settings.host,
    PORT: String(port),
    PUBLIC_URL: address,
    WEB_PROCESSES: String(webProcesses),
    DATA_DIR: folder.folder,
    WHETSTONE_SECRET: folder.secret(),
    WHETSTONE_SECRET_FILE: "",
    // Only the preparation of the database gets the owner's URL. Empty rather than unset: Next reads `.env` itself.
    MIGRATION_DATABASE_URL: "",
  };
  const database = await openDatabase({
    given: givenDatabase(settings),
    folder,
    lost: () => giveUp(new OperatorError("The database cannot be started again.")),
  });
  let open = false;
  const supervise = (
    /** @type {string} */ name,
    /** @type {readonly string[]} */ args,
    /** @type {Partial<import("./supervised.mjs").Description>} */ options = {},
  ) =>
    new Supervised({
      name,
      ...options,
      args: ["--import", exitWithParent, ...args],
      env: () => ({ ...env, DATABASE_URL: database.urls().url, LISTEN: open ? "" : "when-told" }),
      onStarted: () => tellChildren(),
    });
  const webs = Array.from({ length: webProcesses }, (_, index) =>
    supervise(index === 0 ? "web" : `web-${index + 1}`, mode.web, {
      operations: openOperationsFile(),
      // In development, a debugger may hold it.
      ...(mode.kind === "start" && { silentMs: WEB_SILENT_MS }),
      ...(webProcesses > 1 && { launch: launchSharingPorts }),
    }),
  );
  const worker = supervise("worker", mode.worker);
  const all = [...webs, worker];
  const tellChildren = () =>
    lock.update({
      children: Object.fromEntries(
        all.flatMap(({ identity, description: { name } }) => (identity ? [[name, identity]] : [])),
      ),
    });
  database.onMoved(() => {
    for (const one of all) one.restart();
  });
  started.push(
    () => database.stop(),
    async () => void (await Promise.all(all.map((one) => one.stop()))),
  );
  throwIfStopped();

  const waitUntilReady = async (/** @type {Supervised} */ process) => {
    const { failed } = await process.start();
    if (failed) throw new OperatorError(startFailure(process.description.name, failed, settings, port));
  };
  // The web server needs the database to serve requests, not to load: the two start in parallel.
  const webStart = Promise.all(webs.map(waitUntilReady));
  webStart.catch(giveUp); // an invalid setting fails the start before the database is up
  await database.start();
  throwIfStopped();
  const { setupToken } = await step("Checking the database", () =>
    prepareDatabase(database.urls(), { env, firstRun: true, built: mode.build, embedded: !settings.databaseUrl }),
  );
  lock.update({ database: true, external: settings.databaseUrl !== undefined });
  throwIfStopped();
  await step("Starting the web server and the worker", async () => {
    open = true;
    for (const web of webs) web.send({ type: "listen" });
    await Promise.all([waitUntilReady(worker), webStart]);
  });
  lock.update({ address, local: addressOf({ ...settings, port, publicUrl: undefined }) });

  print(`\nWhetstone is ready at ${address} (after ${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  if (process.env.TRAINER_URL)
    print(
      "TRAINER_URL and TRAINER_TOKEN are no longer read: trainers call Whetstone. Start the trainer again with the same --home: on this machine with npx whetstone trainer, elsewhere with a new key from the Trainers page. It keeps its jobs and checkpoints.",
    );
  if (setupToken) {
    print(
      `\nNobody has an account yet. Become the owner with this link (valid once, for 24 hours; for a new one run npx whetstone setup-link):\n\n  ${address}/setup#token=${setupToken}\n`,
    );
  }
}

/** @param {Mode} mode @param {{webProcesses: number}} settings */
function webProcessesOf({ kind }, { webProcesses }) {
  if (kind === "start" || webProcesses === 1) return webProcesses;
  print("WEB_PROCESSES is for npm start: in development there is one web process, because it compiles what it serves.");
  return 1;
}

const exitWithParent = new URL("../system/exit-with-parent.mjs", import.meta.url).href;

/** @param {Mode} mode @param {ReturnType<typeof dataFolder>} folder */
async function lockFor(mode, { lockFile, folder }) {
  try {
    return await waitForLock(lockFile, mode.kind, {
      withinMs: COMMAND_MS,
      shouldWait: ({ kind, stopping }) => kind === "cli" || stopping === true,
    });
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    const { holder, kind, address } = error.held;
    if (kind === "cli")
      throw new OperatorError(`A command (process ${holder.pid}) is still using ${folder}. Retry when it is done.`);
    throw new OperatorError(
      `Whetstone is already running on ${folder} (process ${holder.pid}${address ? `, at ${address}` : ""}). Stop that one first (kill ${holder.pid}), or start another with its own folder and port: DATA_DIR=… PORT=… npm ${kind === "dev" ? "run dev" : "start"}`,
    );
  }
}

/** A process of ours that was killed keeps its port until the last of its threads has ended. */
const PORT_FREED_MS = 2_000;

/** @param {ReturnType<typeof readSettings>} settings */
async function portFor({ host, port }) {
  const wanted = port || (await freePort());
  const deadline = Date.now() + PORT_FREED_MS;
  let trouble = await portError(wanted, host);
  while (trouble?.code === "EADDRINUSE" && Date.now() < deadline) {
    await sleep(50);
    trouble = await portError(wanted, host);
  }
  if (trouble) throw new OperatorError(portSentence(trouble.code, host, wanted));
  return wanted;
}

/** @param {string | undefined} code @param {string} host @param {number} port */
function portSentence(code, host, port) {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken by another program. Stop that one, or choose another port: PORT=${port + 1} npm start`;
    case "EACCES":
      return `This user may not use port ${port}. Choose one above 1023: PORT=3000 npm start`;
    default:
      return `Cannot listen on ${host}:${port} (${code}). Set HOST to an address of this machine, for example 127.0.0.1 or 0.0.0.0.`;
  }
}

/** @param {string} name @param {string} reason @param {{host: string}} settings @param {number} port */
const startFailure = (name, reason, { host }, port) =>
  name !== "worker" && /^E[A-Z]+$/.test(reason)
    ? portSentence(reason, host, port)
    : `The ${name} process did not start (${reason}). Its output is above.`;

/** Returns whether a process of a killed server still holds its shared memory (PostgreSQL's error). @param {unknown} trouble */
const isStillInUse = (trouble) =>
  trouble instanceof OperatorError && /shared memory block .* still in use/.test(trouble.message);

/**
 * Supervises the embedded database, or returns the external one that DATABASE_URL names.
 * @param {{given: import("../database/prepare-database.mjs").Urls | undefined, folder: ReturnType<typeof dataFolder>, lost: () => void}} options
 */
async function openDatabase({ given, folder: { cluster }, lost }) {
  if (given) return { urls: () => given, start: async () => {}, stop: async () => {}, onMoved: () => {} };

  if (!cluster.exists) await step("Creating the database", () => cluster.create());
  await cluster.reservePort();
  const current = () => databaseUrls(cluster.access);
  /** @type {import("../database/postgres.mjs").Server | undefined} */
  let server;
  /** @type {Promise<import("../database/postgres.mjs").Server> | undefined} */
  let starting;
  let ending = false;
  let moved = () => {};

  /**
   * Starts the database, retrying errors that `isRetryable` accepts: after a crash its processes may still be ending (a
   * process that is executing a statement finishes it first).
   * @param {(trouble: unknown) => boolean} isRetryable
   */
  const startWithRetry = async (isRetryable) => {
    const until = Date.now() + LEFTOVERS_MS;
    for (;;) {
      try {
        return await cluster.start();
      } catch (trouble) {
        if (Date.now() > until || !isRetryable(trouble)) throw trouble;
        await sleep(1000);
        if (ending) throw trouble;
      }
    }
  };
  const watch = async () => {
    while (server && !ending) {
      await server.exited;
      if (ending) return;
      print("The database ended unexpectedly; restarting it.");
      const before = current().url;
      starting = startWithRetry(() => true);
      server = await starting.catch(() => undefined);
      if (!server && !ending) return lost();
      if (current().url !== before) moved();
    }
  };

  return {
    urls: current,
    async start() {
      starting = step("Starting the database", () => startWithRetry(isStillInUse));
      server = await starting;
      void watch();
    },
    async stop() {
      ending = true;
      await starting?.catch(() => {});
      await server?.stop();
    },
    onMoved: (/** @type {() => void} */ tell) => {
      moved = tell;
    },
  };
}
