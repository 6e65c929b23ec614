import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { bundledProgram } from "@/db/testing/bundled-program";

/** For tests: starts a process that runs every background function and may call services on loopback. */
export async function startEngineProcess(): Promise<ChildProcess> {
  const program = await bundledProgram(path.join(import.meta.dirname, "engine-process.ts"));
  try {
    // biome-ignore lint/style/noProcessEnv: handed on to the process.
    return await program.start([], { env: { ...process.env, OUTBOUND_ALLOW: "127.0.0.1" } });
  } finally {
    await program.remove();
  }
}
