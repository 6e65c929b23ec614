import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { rm } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

/**
 * For tests: bundles a program into one file, from which its processes start in a quarter of the time that they need to
 * load hundreds of files.
 */
export async function bundledProgram(entry: string) {
  // Next to the packages that it imports.
  const file = path.join(process.cwd(), "node_modules/.cache", `test-program-${crypto.randomUUID()}.mjs`);
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["react-server"],
    logLevel: "error",
  });
  return {
    file,
    /** Starts a process, and returns it once it has sent its first message. */
    async start(args: readonly string[] = [], options: ForkOptions = {}): Promise<ChildProcess> {
      const child = fork(file, args, { execArgv: ["--conditions=react-server"], ...options });
      await new Promise((resolve, reject) => {
        child.once("message", resolve);
        child.once("exit", () => reject(new Error(`The process of ${path.basename(entry)} ended.`)));
      });
      return child;
    },
    remove: () => rm(file, { force: true }),
  };
}
