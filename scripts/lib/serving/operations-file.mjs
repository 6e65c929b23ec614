// @ts-check
import { randomUUID } from "node:crypto";
import { existsSync, ftruncateSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** In memory where the system has it: a disk could make the process that writes wait. */
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const BYTES_MAX = 64 * 1024;

/**
 * A file without a name in which a process writes the operations that are in progress, a line each that begins with its start,
 * so that they can be read when the process is blocked or has crashed. `server/platform/event-loop/operations.ts` writes it.
 * @typedef {ReturnType<typeof openOperationsFile>} OperationsFile
 */
export function openOperationsFile() {
  const file = path.join(FOLDER, `whetstone-${randomUUID()}`);
  const fd = openSync(file, "wx+", 0o600);
  rmSync(file);
  return {
    fd,
    clear: () => ftruncateSync(fd),
    /** Returns the names of the operations, the latest to start first. */
    read() {
      const buffer = Buffer.alloc(BYTES_MAX);
      const lines = buffer.toString("utf8", 0, readSync(fd, buffer, 0, BYTES_MAX, 0)).split(/[\n\0]+/);
      return lines
        .map((line) => /^(\d+) (.+?) *$/.exec(line))
        .filter((found) => found !== null)
        .sort((one, other) => Number(other[1]) - Number(one[1]))
        .map((found) => /** @type {string} */ (found[2]));
    },
  };
}
