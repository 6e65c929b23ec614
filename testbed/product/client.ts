import { spawn } from "node:child_process";

/** Runs an unmodified client of `e2e/clients`, configured only by OpenTelemetry's environment variables. */
export function runClient(name: string, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [`e2e/clients/${name}.mjs`], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let trouble = "";
  child.stderr.on("data", (chunk) => {
    trouble += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}:\n${trouble}`)),
    );
  });
}
