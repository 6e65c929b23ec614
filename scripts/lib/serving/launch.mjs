// @ts-check
import { spawn } from "node:child_process";
import cluster from "node:cluster";
import { inRoot } from "../system/paths.mjs";

/**
 * Starts a Node process with an IPC channel from Node's arguments, the last of which is the program. It inherits the open file,
 * if one is given, as `INHERITED_FD`.
 * @typedef {(args: readonly string[], env: NodeJS.ProcessEnv, fd?: number) => import("node:child_process").ChildProcess} Launch
 */

export const INHERITED_FD = 4;

/** Without input, with our output. @param {number | undefined} fd @returns {("ignore" | "inherit" | "ipc" | number)[]} */
const stdioWith = (fd) => ["ignore", "inherit", "inherit", "ipc", ...(fd === undefined ? [] : [fd])];

/** Ctrl+C in a terminal reaches only the supervisor, which stops the process. @type {Launch} */
export const launchDetached = (args, env, fd) =>
  spawn(process.execPath, [...args], { cwd: inRoot(), env, detached: true, stdio: stdioWith(fd) });

/**
 * The processes of one program started like this share the ports that they listen on. Each takes its connections from the
 * system itself, so one that is blocked takes none. They get the terminal's Ctrl+C, too, and must ignore it. @type {Launch}
 */
export function launchSharingPorts(args, env, fd) {
  // By default this process would distribute connections, and give one to a process that is blocked.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const [exec, execArgv] = [args.at(-1), args.slice(0, -1)];
  cluster.setupPrimary({ exec, args: [], execArgv, cwd: inRoot(), stdio: stdioWith(fd) });
  return cluster.fork(env).process;
}
