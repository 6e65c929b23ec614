// @ts-check
import { spawn } from "node:child_process";
import cluster from "node:cluster";
import { inRoot } from "../system/paths.mjs";

/**
 * Starts a Node process with an IPC channel from Node's arguments, the last of which is the program.
 * @typedef {(args: readonly string[], env: NodeJS.ProcessEnv) => import("node:child_process").ChildProcess} Launch
 */

/** Without input, with our output. @type {("ignore" | "inherit" | "ipc")[]} */
const STDIO = ["ignore", "inherit", "inherit", "ipc"];

/** Ctrl+C in a terminal reaches only the supervisor, which stops the process. @type {Launch} */
export const launchDetached = (args, env) =>
  spawn(process.execPath, [...args], { cwd: inRoot(), env, detached: true, stdio: STDIO });

/**
 * The processes of one program started like this share the ports that they listen on. Each takes its connections from the
 * system itself, so one that is blocked takes none. They get the terminal's Ctrl+C, too, and must ignore it. @type {Launch}
 */
export function launchSharingPorts(args, env) {
  // By default this process would distribute connections, and give one to a process that is blocked.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: args.at(-1), args: [], execArgv: args.slice(0, -1), cwd: inRoot(), stdio: STDIO });
  return cluster.fork(env).process;
}
