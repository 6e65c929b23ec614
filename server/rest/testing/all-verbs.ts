import { existsSync, readdirSync } from "node:fs";
import type { AccountVerb, InstallationVerb } from "@/server/platform/verb";
import type { AnyStreamVerb, AnyVerb } from "../operation";

/** Files below a folder whose path ends so. */
export const filesIn = (folder: string, end: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(end))
        .map((file) => `${folder}/${file}`)
    : [];

export type Found = { exported: string; verb: AnyVerb | AccountVerb | InstallationVerb };

/** Everything that the services' index files show and that says what it is. */
async function declared() {
  const found: { exported: string; value: { spec: object } }[] = [];
  for (const file of filesIn("server/services", "/index.ts").filter((path) => path.split("/").length === 4)) {
    const service = (await import(/* @vite-ignore */ `@/${file.replace(/\.ts$/, "")}`)) as Record<string, unknown>;
    for (const [exported, value] of Object.entries(service)) {
      if (typeof value === "function" && "spec" in value) found.push({ exported, value: value as never });
    }
  }
  return found;
}

/** For tests: every operation that a service shows. */
export const verbsOfServices = async (): Promise<Found[]> =>
  (await declared()).flatMap(({ exported, value }) =>
    "kind" in value.spec ? [] : [{ exported, verb: value as unknown as AnyVerb }],
  );

/** For tests: every operation with a stream that a service shows. */
export const streamVerbsOfServices = async (): Promise<{ exported: string; stream: AnyStreamVerb }[]> =>
  (await declared()).flatMap(({ exported, value }) =>
    "kind" in value.spec ? [{ exported, stream: value as unknown as AnyStreamVerb }] : [],
  );
