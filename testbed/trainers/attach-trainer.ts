import { randomUUID } from "node:crypto";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { trainers } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { leaseCommands, leaseInput } from "@/server/services/trainers/agents/lease-commands";
import { takePart } from "@/server/services/trainers/agents/take-part";
import { takeResult } from "@/server/services/trainers/agents/take-result";
import { openManifest } from "@/server/services/training";
import { KNOWN, runScriptedAgent, type Web } from "./scripted-agent";
import { CAPABILITIES, type ScriptedTrainer } from "./scripted-trainer";

/** For tests: stores the only attached trainer. Returns its id. */
export async function storeTrainer(more: Partial<typeof trainers.$inferInsert>): Promise<string> {
  const id = newId("trn");
  await db().delete(trainers);
  await db()
    .insert(trainers)
    .values({ id, kind: "agent", name: "Scripted", keyHash: randomUUID(), keyHint: "abcd", updatedAt: NOW, ...more });
  return id;
}

/** For tests that need an attached trainer: attaches one that has never connected. Returns its id. */
export const attachTrainer = () => storeTrainer({});

/** Calls the services behind the addresses of agents, which `trainer-endpoint.db.test.ts` tests over HTTP. */
function webOf(id: string): Web {
  const agent = { id, capabilitiesHash: KNOWN };
  const post: Web["post"] = async (path, body, signal = new AbortController().signal) => {
    const [kind, commandId = "", action] = path.split("/");
    try {
      if (kind === "lease") {
        return { status: 200, json: await leaseCommands(db(), agent, leaseInput.parse(body), signal) };
      }
      const take = action === "parts" ? takePart : takeResult;
      return { status: 200, json: await take(db(), agent, commandId, body) };
    } catch (error) {
      if (error instanceof ServiceError && error.code === "not_found") return { status: 404, json: {} };
      throw error;
    }
  };
  return {
    post,
    async manifest(sha256) {
      const opened = await openManifest(db(), agent, sha256).catch(() => null);
      if (!opened) return null;
      const parts: Uint8Array[] = [];
      for await (const part of opened.content) parts.push(part);
      return Buffer.concat(parts);
    },
  };
}

type Attachable = Pick<ScriptedTrainer, "address" | "detach" | "features">;

/** For tests: attaches a scripted trainer as the only one, until it is attached again or stopped. Returns its id. */
export async function attachScripted(trainer: Attachable): Promise<string> {
  trainer.detach();
  const capabilities = { ...CAPABILITIES, features: trainer.features };
  const id = await storeTrainer({ capabilities, capabilitiesHash: KNOWN, lastSeenAt: Date.now(), version: "1.0.0" });
  resumeScripted(trainer, id);
  return id;
}

/** For tests: lets a scripted trainer go on as the attached one of this id, after `detach`. */
export function resumeScripted(trainer: Attachable, id: string): void {
  trainer.detach();
  trainer.detach = runScriptedAgent(webOf(id), trainer.address);
}
