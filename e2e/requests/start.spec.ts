import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { Cluster, freePort, urlOf } from "../../scripts/lib/database/postgres.mjs";
import { startOf } from "../../scripts/lib/system/processes.mjs";
import { killAll } from "../../testbed/product/process-tree";
import { expect, test } from "../support/test";

/** What `npm start` and the command line promise the operator. Needs no browser. */

const READY_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 30_000;

type Ended = { code: number | null; stdout: string; stderr: string };
type Installation = { folder: string; port: number; address: string };

/** Runs a program to its end, in an environment without the developer's own settings. */
function run(args: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Ended> {
  const child = spawn(process.execPath, args, { env: clean(env) });
  child.stdin.end(input);
  return outcome(child);
}

function outcome(child: ChildProcess): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    said.stderr += chunk;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said })));
}

function clean(env: Record<string, string>) {
  const { DATABASE_URL, MIGRATION_DATABASE_URL, DATA_DIR, HOST, PORT, PUBLIC_URL, ...others } = process.env;
  const { WHETSTONE_SECRET, WHETSTONE_SECRET_FILE, ...rest } = others;
  return { ...rest, ...env };
}

async function install(): Promise<Installation> {
  const port = await freePort();
  return { folder: mkdtempSync(path.join(tmpdir(), "whetstone-start-")), port, address: `http://127.0.0.1:${port}` };
}

const environment = ({ folder, port }: Installation) => ({
  DATA_DIR: folder,
  PORT: String(port),
  LOG_LEVEL: "warn",
  STOP_WITH_PARENT: "1",
});

/** Runs `npm start` up to the line that reports that it is ready. */
async function start(at: Installation, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["scripts/start.mjs"], { env: clean({ ...environment(at), ...env }) });
  let output = "";
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  await expect
    .poll(() => /is ready at/.test(output) || child.exitCode !== null, { timeout: READY_WITHIN_MS })
    .toBe(true);
  expect(child.exitCode, output).toBeNull();
  const pids = processesOf(at);
  return { child, exited, pids, output: () => output, address: at.address };
}

/** Returns the processes of an installation, according to the files that record them. */
function processesOf({ folder }: Installation) {
  const lock = JSON.parse(readFileSync(path.join(folder, "running.json"), "utf8"));
  return {
    supervisor: Number(lock.holder.pid),
    web: Number(lock.children.web.pid),
    ...("web-2" in lock.children && { secondWeb: Number(lock.children["web-2"].pid) }),
    worker: Number(lock.children.worker.pid),
    postgres: Number.parseInt(readFileSync(path.join(folder, "postgres/postmaster.pid"), "utf8"), 10),
  };
}

const gone = (pids: readonly number[]) =>
  expect.poll(() => pids.filter((pid) => startOf(pid) !== null), { timeout: GONE_WITHIN_MS }).toEqual([]);

const healthy = (address: string) =>
  expect
    .poll(
      () =>
        fetch(`${address}/readyz`).then(
          (reply) => reply.status,
          () => "no answer",
        ),
      { timeout: READY_WITHIN_MS },
    )
    .toBe(200);

const cli = (at: Installation, ...args: string[]) => run(["scripts/cli.mjs", ...args], environment(at));

const createUser = (at: Installation, email: string) =>
  cli(at, "user", "create", "--email", email, "--password", "correct horse battery", "--json");

test.describe("an installation", () => {
  test.describe.configure({ mode: "serial" });
  let at: Installation;
  test.beforeAll(async () => {
    at = await install();
  });
  test.afterAll(() => rmSync(at.folder, { recursive: true, force: true }));

  test("serves, prints a one-time setup link, and keeps its secret files private", async () => {
    const { child, exited, output } = await start(at);
    await healthy(at.address);
    // The line after the one that reports that it is ready.
    await expect.poll(output).toMatch(new RegExp(`${at.address}/setup#token=\\S{20,}`));
    for (const file of ["secret", "postgres.json", "running.json"]) {
      expect(statSync(path.join(at.folder, file)).mode & 0o077, file).toBe(0);
    }
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  test("stops cleanly on SIGTERM, database included", async () => {
    const { child, exited, pids, output } = await start(at);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    // A process's last output may arrive after its end.
    await expect.poll(output).toContain("Stopped.");
    await gone(Object.values(pids));
    expect(existsSync(path.join(at.folder, "postgres/postmaster.pid"))).toBe(false);
    expect(readFileSync(path.join(at.folder, "logs/postgres.log"), "utf8").trimEnd()).toMatch(
      /database system is shut down$/,
    );
  });

  test("the command line works while the server is stopped, and the next start needs no build and has its account", async () => {
    const created = await createUser(at, "first@example.test");
    expect(created).toMatchObject({ code: 0 });
    expect(JSON.parse(created.stdout)).toMatchObject({ user: { email: "first@example.test" } });

    const { child, exited, output } = await start(at);
    expect(output()).not.toContain("Building");
    expect(output()).not.toContain("/setup#token="); // there is an account now
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  test("the command line works while the server runs", async () => {
    const { child, exited } = await start(at);
    const again = await createUser(at, "FIRST@example.test");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(again.stderr)).toMatchObject({ error: { code: "conflict" } });

    const made = await cli(at, "project", "create", "--name", "Tests", "--owner", "first@example.test", "--json");
    const { project } = JSON.parse(made.stdout);
    const key = await cli(at, "key", "create", "--project", project.id, "--capability", "telemetry:write", "--json");
    expect(JSON.parse(key.stdout)).toMatchObject({ apiKey: { capabilities: ["telemetry:write"] }, secret: /^whet_/ });
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  test("a second start on its folder is refused with a message, and the first keeps running", async () => {
    const { child, exited, pids } = await start(at);
    const second = await run(["scripts/start.mjs"], { ...environment(at), PORT: String(await freePort()) });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(
      `is already running on ${at.folder} (process ${pids.supervisor}, at ${at.address})`,
    );
    await healthy(at.address);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });

  test("restarts its web, worker and database processes when they crash", async () => {
    const { child, exited, pids, output } = await start(at);
    for (const name of ["web", "worker"] as const) {
      process.kill(pids[name], "SIGKILL");
      await expect.poll(() => processesOf(at)[name], { timeout: GONE_WITHIN_MS }).not.toBe(pids[name]);
      await healthy(at.address);
      expect(output()).toContain(`The ${name} process ended (SIGKILL); restarting it`);
    }
    process.kill(pids.postgres, "SIGKILL");
    await expect.poll(() => output(), { timeout: GONE_WITHIN_MS }).toContain("The database ended unexpectedly");
    await healthy(at.address);
    const { postgres: restarted } = processesOf(at);
    expect(restarted).not.toBe(pids.postgres);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    await gone([restarted]);
  });

  test("of two web processes, each serves while the other is blocked", async () => {
    const { child, exited, pids, output } = await start(at, { WEB_PROCESSES: "2" });
    /** On connections of their own: a blocked process does not answer on one that it has. */
    const served = async () => {
      const requests = Array.from({ length: 20 }, () =>
        fetch(`${at.address}/healthz`, { headers: { connection: "close" } }),
      );
      return (await Promise.all(requests)).every(({ status }) => status === 200);
    };
    process.kill(pids.web, "SIGSTOP");
    expect(await served()).toBe(true);
    process.kill(pids.web, "SIGKILL");
    await expect.poll(() => processesOf(at).web, { timeout: GONE_WITHIN_MS }).not.toBe(pids.web);
    process.kill(Number(pids.secondWeb), "SIGSTOP");
    expect(await served()).toBe(true);
    process.kill(Number(pids.secondWeb), "SIGCONT");
    const running = Object.values(processesOf(at));
    child.kill("SIGTERM");
    expect(await exited, output()).toBe(0);
    await gone(running);
  });

  test("leaves nothing running after SIGKILL, and starts again", async () => {
    const { child, pids } = await start(at);
    child.kill("SIGKILL");
    await gone(Object.values(pids));
    const next = await start(at);
    await healthy(at.address);
    next.child.kill("SIGTERM");
    expect(await next.exited).toBe(0);
  });

  test("starts again right after SIGKILL, while its old processes are still ending", async () => {
    const { child, exited, pids } = await start(at);
    child.kill("SIGKILL");
    await exited;
    const next = await start(at);
    await healthy(at.address);
    await gone(Object.values(pids));
    next.child.kill("SIGTERM");
    expect(await next.exited).toBe(0);
  });

  test("starts again with its data after SIGKILL of all its processes", async () => {
    const { pids } = await start(at);
    killAll(Object.values(pids));
    const next = await start(at);
    await healthy(at.address);
    expect(next.output()).not.toContain("/setup#token=");
    next.child.kill("SIGTERM");
    expect(await next.exited).toBe(0);
  });

  test("started by npm, it stops when npm gets SIGTERM or SIGKILL", async () => {
    const readyUnderNpm = async () => {
      const npm = spawn("npm", ["start", "--silent"], {
        env: clean(environment(at)),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exited = new Promise<number | null>((resolve) => npm.once("exit", resolve));
      npm.stdout.resume();
      await healthy(at.address);
      return { npm, exited, pids: Object.values(processesOf(at)) };
    };
    const told = await readyUnderNpm();
    told.npm.kill("SIGTERM");
    expect(await told.exited).toBe(0);
    expect(told.pids.filter((pid) => startOf(pid) !== null)).toEqual([]);

    const killed = await readyUnderNpm();
    killed.npm.kill("SIGKILL");
    await gone(killed.pids);
  });

  /** The last release had a single database user: the superuser named in the file next to the database. */
  async function asOfTheLastRelease() {
    const file = path.join(at.folder, "postgres.json");
    const { application: _, ...access } = JSON.parse(readFileSync(file, "utf8"));
    const cluster = new Cluster(path.join(at.folder, "postgres"), { log: path.join(at.folder, "logs/postgres.log") });
    const server = await cluster.start();
    const sql = postgres(urlOf(cluster.access, "whetstone"), { max: 1, onnotice: () => {} });
    await sql`drop owned by whetstone_app`;
    await sql`drop role whetstone_app`;
    await sql`insert into users (id, email) values ('usr_before', 'before@example.test')`;
    await sql.end();
    await server.stop();
    writeFileSync(file, JSON.stringify(access));
  }

  test("migrates from the last release to an unprivileged database role, with its data", async () => {
    const first = await start(at);
    first.child.kill("SIGTERM");
    await first.exited;
    await asOfTheLastRelease();
    const { child, exited } = await start(at);
    const { access } = new Cluster(path.join(at.folder, "postgres"), { log: "" });
    const sql = postgres(urlOf(access, "whetstone"), { max: 1, onnotice: () => {} });
    const people = await sql`select id from users`;
    const users = await sql`
      select distinct usename, usesuper from pg_stat_activity join pg_user using (usename)
      where application_name like 'whetstone%'`;
    const [log] = await sql`
      select has_table_privilege('whetstone_app', 'audit_log', 'insert') as insert,
        has_table_privilege('whetstone_app', 'audit_log', 'update') as update`;
    await sql.end();
    child.kill("SIGTERM");
    await exited;
    expect([...people]).toContainEqual({ id: "usr_before" });
    expect([...users]).toEqual([{ usename: "whetstone_app", usesuper: false }]);
    expect(log).toEqual({ insert: true, update: false });
    // A command works on it just like the server, and a backup is complete.
    const backup = await run(
      ["scripts/cli.mjs", "backup", "--to", path.join(at.folder, "b.tar"), "--json"],
      environment(at),
    );
    expect(backup).toMatchObject({ code: 0, stdout: expect.stringContaining('"verified":true') });
  });

  test("a database that a later version wrote is refused with a message", async () => {
    const { child, exited } = await start(at);
    const { port, user, password } = JSON.parse(readFileSync(path.join(at.folder, "postgres.json"), "utf8"));
    const sql = postgres({ host: "127.0.0.1", port, user, password, database: "whetstone", max: 1 });
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.now() + 1e12})`;
    await sql.end();
    child.kill("SIGTERM");
    await exited;
    const refused = await run(["scripts/start.mjs"], environment(at));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("written by a newer version of Whetstone");
    expect(existsSync(path.join(at.folder, "postgres/postmaster.pid"))).toBe(false);
  });
});

test.describe("a failed start explains itself in a sentence and exits non-zero", () => {
  let at: Installation;
  test.beforeEach(async () => {
    at = await install();
  });
  test.afterEach(() => rmSync(at.folder, { recursive: true, force: true }));

  test("a taken port", async () => {
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(at.port, "127.0.0.1", () => resolve(server));
    });
    const refused = await run(["scripts/start.mjs"], environment(at));
    taken.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`Port ${at.port} on 127.0.0.1 is taken by another program.`);
    expect(refused.stderr).not.toContain("    at ");
  });

  test("an old Node", async () => {
    const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.4"}})`;
    const refused = await run(["--import", older, "scripts/start.mjs"], environment(at));
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^Whetstone needs Node\.js 22 or 24; this is 18\.20\.4\..+\n$/);
  });

  test("a database that cannot be reached", async () => {
    const DATABASE_URL = `postgres://someone:hidden@127.0.0.1:${await freePort()}/whetstone`;
    const refused = await run(["scripts/start.mjs"], { ...environment(at), DATABASE_URL });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /Cannot reach the database at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Check DATABASE_URL/,
    );
    expect(refused.stderr + refused.stdout).not.toContain("hidden");
    expect(refused.stderr).not.toContain("    at ");
  });

  for (const [what, env, sentence] of [
    ["a port that is none", { PORT: "http" }, /PORT is "http"; it must be a number/],
    ["a database address that is none", { DATABASE_URL: "mysql://x" }, /DATABASE_URL must look like postgres:/],
    ["a short secret", { WHETSTONE_SECRET: "short" }, /WHETSTONE_SECRET is too short/],
    ["a log level that is none", { LOG_LEVEL: "loud" }, /Check the environment variables:[\s\S]+LOG_LEVEL/],
    ["an address of another machine", { HOST: "192.0.2.1" }, /Cannot listen on 192\.0\.2\.1:\d+/],
  ] as const) {
    test(what, async () => {
      const refused = await run(["scripts/start.mjs"], { ...environment(at), ...env });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(sentence);
    });
  }
});

test("the command line diagnoses a file without a database, and stores nothing", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-diagnose-"));
  const file = path.join(folder, "conversations.jsonl");
  const messages = [
    { role: "user", content: "Where is my order?" },
    { role: "assistant", tool_calls: [{ id: "1", name: "get_order", arguments: "{}" }] },
    { role: "tool", tool_call_id: "1", content: "Error: order not found" },
    { role: "assistant", content: "I could not find it." },
  ];
  writeFileSync(
    file,
    [
      { id: "a", messages },
      { id: "b", messages: [] },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  const data = path.join(folder, "data");
  const { code, stdout } = await run(["scripts/cli.mjs", "diagnose", file], { DATA_DIR: data });
  expect(code).toBe(0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(lines[0].signals[0]).toMatchObject({ rule: "tool-failure", verdict: expect.any(String) });
  expect(existsSync(path.join(data, "postgres"))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
});
