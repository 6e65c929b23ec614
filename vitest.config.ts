import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/lib/testing/longest-first.mjs";

const here = import.meta.dirname;
const alias = { "@": here, "server-only": path.join(here, "db/testing/empty.ts") };
// `*.shared.test.ts` run the code on payloads and cases that are next to some checkouts and not part of this repository.
const shared = existsSync(path.join(here, "../shared/data")) ? [] : ["**/*.shared.test.ts"];
const exclude = ["e2e/**", "node_modules/**", ".next/**", "dist/**", ".data/**", ...shared];
const env = { TZ: "Asia/Kathmandu" }; // a UTC-only bug should fail here, not in production
// Vitest prefers a configured order to this option.
const isShuffled = process.argv.some((argument) => argument.startsWith("--sequence.shuffle"));
const NEW_PROCESS = "db/testing/new-process.ts";

/** Each file gets its own copy of a migrated database. */
const database = {
  env,
  globalSetup: "db/testing/template.ts",
  // The limits are those of a hang: how long a test takes depends on what else the machine does.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  // Processes, because some tests signal their own, and start others with their environment.
  pool: "forks",
} as const;

/** `*.test.ts` are pure and need nothing. The files of a worker share one process, except `*.isolated.*`. */
export default defineConfig({
  test: {
    // By default, Vitest leaves one core free: with two cores, that is one worker, and most tests wait for the database anyway.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...exclude, "**/*.db.test.ts"],
          env,
          pool: "threads",
          isolate: false,
          setupFiles: [NEW_PROCESS],
          // Tests of speed assert CPU time: on a busy machine, wall-clock time means nothing.
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          ...database,
          name: "db",
          include: ["**/*.db.test.ts"],
          exclude: [...exclude, "**/*.isolated.db.test.ts"],
          isolate: false,
          setupFiles: [NEW_PROCESS, "db/testing/own-database.ts"],
          sequence: { setupFiles: "list" },
        },
      },
      {
        resolve: { alias },
        test: {
          ...database,
          name: "db-isolated",
          include: ["**/*.isolated.db.test.ts"],
          exclude,
          setupFiles: ["db/testing/own-database.ts"],
        },
      },
    ],
  },
});
