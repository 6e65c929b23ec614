import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";

/** For tests: starts a process that runs every background function and may call services on loopback. */
export async function startEngineProcess(): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, "engine-process.ts"), {
    execArgv: ["--conditions=react-server", "--import", "tsx"],
    // biome-ignore lint/style/noProcessEnv: handed on to the process.
    env: { ...process.env, OUTBOUND_ALLOW: "127.0.0.1" },
  });
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error("The engine's process ended.")));
  });
  return child;
}
