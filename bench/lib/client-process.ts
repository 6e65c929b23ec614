import { fork } from "node:child_process";
import { constants } from "node:os";
import { lowerPriority } from "@/server/platform/processes/process-priority";

/**
 * Starts clients in a process of their own, as they are in reality, so that one client's work neither delays another's nor
 * counts as the product's. `background`: lowers the priority of clients whose own times do not matter, because real clients
 * would not share the product's cores. They get a session of their own for that.
 */
export function startClients(program: URL, order: object, { background }: { background: boolean }) {
  const child = fork(program, [JSON.stringify(order)], { detached: background });
  if (background && child.pid) void lowerPriority(child.pid, constants.priority.PRIORITY_LOW);
  return child;
}
