import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

/**
 * Vitest setupFile: the test files of a worker share its process, and so the packages, which take long to load. Our own modules
 * are evaluated again for each file: whatever they remember is gone, without a list that somebody has to complete. What else a
 * file may have left behind is restored here. Files that replace modules have a process each: `*.isolated.*`.
 */
vi.resetModules();
vi.useRealTimers();
vi.unstubAllGlobals();
vi.unstubAllEnvs();

const kept = globalThis as { environmentOfWorker?: NodeJS.ProcessEnv } & Record<string, unknown>;

// State that the copies of a module share on purpose, such as the pool. What is stored asynchronously ends by itself, and has
// to be the same for everybody.
for (const [name, state] of Object.entries(kept)) {
  if (name.startsWith("whetstone") && !(state instanceof AsyncLocalStorage)) delete kept[name];
}

// Restores what test files set.
kept.environmentOfWorker ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in kept.environmentOfWorker)) delete process.env[name];
Object.assign(process.env, kept.environmentOfWorker);
