import { existsSync, readdirSync } from "node:fs";
import type { AccountVerb, InstallationVerb } from "@/server/platform/verb";
import type { AnyVerb } from "../operation";

/** Files below a folder whose path ends so. */
export const filesIn = (folder: string, end: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(end))
        .map((file) => `${folder}/${file}`)
    : [];

export type Found = { exported: string; verb: AnyVerb | AccountVerb | InstallationVerb };

/** For tests: every operation that a service shows. */
export async function verbsOfServices(): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of filesIn("server/services", "/index.ts").filter((path) => path.split("/").length === 4)) {
    const service = (await import(/* @vite-ignore */ `@/${file.replace(/\.ts$/, "")}`)) as Record<string, unknown>;
    for (const [exported, value] of Object.entries(service)) {
      if (typeof value === "function" && "spec" in value) found.push({ exported, verb: value as unknown as AnyVerb });
    }
  }
  return found;
}
