import { runScriptedAgent, type Web } from "@/testbed/trainers/scripted-agent";
import { founderOf } from "../data/founder";

type Product = { url: string; dataDir: string };

/** The addresses of agents at a product. */
function webOf({ url }: Product, key: string): Web {
  const base = `${url}/api/trainer/v1`;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    async post(path, body, signal) {
      const sent = { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) };
      const reply = await fetch(`${base}/${path}`, sent);
      return { status: reply.status, json: await reply.json() };
    },
    async manifest(sha256) {
      const reply = await fetch(`${base}/manifests/${sha256}`, { headers });
      return reply.ok ? new Uint8Array(await reply.arrayBuffer()) : null;
    },
  };
}

/** Waits until the only trainer of a product is online; returns its id. */
export async function onlineTrainer({ url, dataDir }: Product, withinMs = 120_000): Promise<string> {
  const { workbench, lobbyId } = await founderOf(url, dataDir);
  const until = Date.now() + withinMs;
  for (;;) {
    const { trainers } = await workbench.trainers.list.query({ projectId: lobbyId });
    if (trainers[0]?.online) return trainers[0].id;
    if (Date.now() > until) throw new Error("The trainer did not connect.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Attaches a server that implements the trainer's contract to a product. Returns the trainer's id and what ends its agent. */
export async function attachServer(product: Product, server: { url: string; token: string }) {
  const { workbench } = await founderOf(product.url, product.dataDir);
  const { key } = await workbench.trainers.add.mutate({ name: "Scripted" });
  const capabilities = async () => {
    const headers = { authorization: `Bearer ${server.token}` };
    return (await fetch(`${server.url}/v1/capabilities`, { headers })).json();
  };
  const detach = runScriptedAgent(webOf(product, key), { ...server, capabilities });
  return { detach, trainerId: await onlineTrainer(product) };
}
