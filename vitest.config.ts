import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

const here = import.meta.dirname;
const alias = { "@": here, "server-only": path.join(here, "db/testing/empty.ts") };
// `*.shared.test.ts` run the code on payloads and cases that are next to some checkouts and not part of this repository.
const shared = existsSync(path.join(here, "../shared/data")) ? [] : ["**/*.shared.test.ts"];
const exclude = ["e2e/**", "node_modules/**", ".next/**", "dist/**", ".data/**", ...shared];
const env = { TZ: "Asia/Kathmandu" }; // a UTC-only bug should fail here, not in production

/** `*.test.ts` are pure and need nothing; each `*.db.test.ts` gets its own copy of a migrated database. */
export default defineConfig({
  test: {
    // By default, Vitest leaves one core free: with two cores, that is one worker, and most tests wait for the database anyway.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...exclude, "**/*.db.test.ts"],
          env,
          // Tests of speed assert CPU time: on a busy machine, wall-clock time means nothing.
          testTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "db",
          include: ["**/*.db.test.ts"],
          exclude,
          env,
          globalSetup: ["db/testing/template.ts"],
          setupFiles: ["db/testing/own-database.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
    ],
  },
});
