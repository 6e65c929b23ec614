import { existsSync, readdirSync } from "node:fs";
import type { AnyStreamVerb, AnyVerb } from "@/server/operations/row";
import type { AccountVerb, InstallationVerb } from "@/server/platform/verb";

/** Returns the files below a folder whose path ends with `end`. */
export const filesIn = (folder: string, end: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(end))
        .map((file) => `${folder}/${file}`)
    : [];

export type Found = { exported: string; verb: AnyVerb | AccountVerb | InstallationVerb };

/** Returns every verb that the services' index files export. */
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

/** For tests: returns every operation that a service exports. */
export const verbsOfServices = async (): Promise<Found[]> =>
  (await declared()).flatMap(({ exported, value }) =>
    "kind" in value.spec ? [] : [{ exported, verb: value as unknown as AnyVerb }],
  );

/** For tests: returns every stream operation that a service exports. */
export const streamVerbsOfServices = async (): Promise<{ exported: string; stream: AnyStreamVerb }[]> =>
  (await declared()).flatMap(({ exported, value }) =>
    "kind" in value.spec ? [{ exported, stream: value as unknown as AnyStreamVerb }] : [],
  );
