import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** The product as a person starts it, on a data directory of its own, with one project and a key. */
export async function startProduct() {
  const dataDir = mkdtempSync(path.join(tmpdir(), "whetstone-bench-"));
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" as const };
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["scripts/start.mjs"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    const ready = await fetch(`${url}/readyz`).then((reply) => reply.ok, () => false);
    if (ready) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const readyAfterMs = performance.now() - startedAt;
  const cli = (...args: string[]) =>
    JSON.parse(execFileSync(process.execPath, ["scripts/cli.mjs", ...args, "--json"], { env, encoding: "utf8" }));
  cli("user", "create", "--email", "bench@example.test", "--password", "bench-password-1");
  const { project } = cli("project", "create", "--name", "Bench", "--owner", "bench@example.test");
  const { secret } = cli("key", "create", "--project", project.id);
  return {
    url,
    pid: child.pid!,
    dataDir,
    readyAfterMs,
    projectId: project.id as string,
    secret: secret as string,
    async stop() {
      child.kill("SIGTERM");
      await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(null)));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
