import { accessSync, constants } from "node:fs";
import { sessionNiceness } from "@/server/platform/processes/process-priority";

/**
 * Whether this machine lets the priority of a session be lowered. Kernels without autogroups and containers with a read-only
 * `/proc` leave it as it is.
 */
export const hasSessionPriorities = sessionNiceness(process.pid) !== null && isWritable("/proc/self/autogroup");

function isWritable(file: string) {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
