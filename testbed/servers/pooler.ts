import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/lib/database/postgres.mjs";
import { poolerPath } from "../../scripts/lib/testing/pooler.mjs";

const START_MS = 20_000;

/** Starts a PgBouncer that gives each transaction one of `connections` to the database of the URL. */
export async function startPooler(databaseUrl: string, connections: number) {
  const { username, password, hostname, port: databasePort, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-pooler-"));
  chmodSync(folder, 0o755);
  const settings = path.join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
${database} = host=${hostname} port=${databasePort} dbname=${database} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(poolerPath() ?? "", [...asNobody, settings], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const deadline = Date.now() + START_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PgBouncer did not start:\n${output}`);
    await sleep(50);
  }
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    output: () => output,
    async stop() {
      child.kill("SIGINT");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
