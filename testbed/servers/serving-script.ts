import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const SHA = "a".repeat(64);
const COMMIT = "c".repeat(40);
/** How long a deployment, a comparison or an export stays in each of its statuses, so that a browser can see them. */
const STAGE_MS = 1500;
const CHUNK_MS = 60;
/** The base model's answer; it has not learned what the checkpoints have. */
export const UNTRAINED = "I am only a language model.";

type Reply = [status: number, body?: unknown];
type Body = Record<string, unknown>;
type Thing = { spec: Body; since: number; over: boolean };

const STAGES = ["pending", "preparing", "starting", "verifying", "running"] as const;
const STAGE_WORDS: Record<string, string> = {
  preparing: "Loading the model",
  starting: "Starting the server",
  verifying: "Waiting for a first answer",
};

const notFound: Reply = [404, { error: { code: "not_found", message: "No such thing." } }];
const stageOf = <Stage>(stages: readonly Stage[], { since }: Thing): Stage =>
  stages[Math.min(stages.length - 1, Math.floor((Date.now() - since) / STAGE_MS))] as Stage;

/** The part of the scripted trainer that serves, compares and publishes, driven by the clock. */
export class ServingScript {
  private readonly deployments = new Map<string, Thing>();
  private readonly certificates = new Map<string, Thing>();
  private readonly exports = new Map<string, Thing>();

  constructor(private readonly learned: string) {}

  reply(method: string, kind: string, id: string, action: string, body: string, origin: string): Reply | null {
    if (kind === "deployments") return this.deployment(method, id, body);
    if (kind === "certificates") return this.certificate(method, id, body);
    if (kind === "exports") return this.export(method, id, action, body, origin);
    return null;
  }

  private put(things: Map<string, Thing>, id: string, body: string): number {
    if (things.has(id)) return 200;
    things.set(id, { spec: JSON.parse(body), since: Date.now(), over: false });
    return 202;
  }

  private statusOf = (thing: Thing) => (thing.over ? "stopped" : stageOf(STAGES, thing));

  private deployment(method: string, id: string, body: string): Reply {
    if (id === "") return [200, { deployments: [...this.deployments.keys()].map((one) => this.deploymentJson(one)) }];
    const created = method === "PUT" ? this.put(this.deployments, id, body) : 200;
    const thing = this.deployments.get(id);
    if (!thing) return notFound;
    if (method === "DELETE") thing.over = true;
    return [created, { deployment: this.deploymentJson(id) }];
  }

  private deploymentJson(id: string) {
    const thing = this.deployments.get(id) as Thing;
    const status = this.statusOf(thing);
    return {
      deployment_id: id,
      ...thing.spec,
      backend: status === "pending" ? null : "transformers",
      status,
      stage_detail: STAGE_WORDS[status] ?? null,
      restarts: 0,
      error: null,
      first_token_ms: status === "running" ? 42 : null,
      last_called_at: null,
      log_tail: [],
    };
  }

  /** Answers a chat completion like a model's server, streamed if requested. */
  async complete(id: string, body: string, response: ServerResponse): Promise<void> {
    const thing = this.deployments.get(id);
    const given = JSON.parse(body) as { stream?: boolean; model: string };
    const text = thing?.spec.checkpoint_id == null ? UNTRAINED : this.learned;
    const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
    const common = { id: `chatcmpl-${Date.now()}`, created: 1, model: given.model };
    if (!thing || this.statusOf(thing) !== "running") {
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { code: "wrong_state", message: "It does not run." } }));
      return;
    }
    if (!given.stream) {
      const choices = [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...common, object: "chat.completion", choices, usage }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const say = (more: object) =>
      response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", ...more })}\n\n`);
    for (const content of text.split(/(?<= )/)) {
      await wait(CHUNK_MS);
      say({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    }
    say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    say({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  }

  private certificate(method: string, id: string, body: string): Reply {
    const created = method === "PUT" ? this.put(this.certificates, id, body) : 200;
    const thing = this.certificates.get(id);
    if (!thing) return notFound;
    const status = stageOf(["queued", "running", "ready"], thing);
    return [created, { certificate: { certificate_id: id, ...thing.spec, status, ...this.comparison(thing, status) } }];
  }

  private comparison({ spec }: Thing, status: string) {
    if (status !== "ready") return { verdict: null, subjects: null, answers: null, error: null };
    const forms = spec.forms as { kind: string; quantization: string | null }[];
    const subjects = forms.map((form) => ({
      ...form,
      deployment_id: null,
      verdict: form.quantization === null ? "same" : "close",
      prompts: 8,
      identical_answers: form.quantization === null ? 8 : 7,
      tokens_compared: 220,
      tokens_equal: form.quantization === null ? 220 : 214,
      first_difference: form.quantization === null ? null : 11,
      mean_logprob_distance: form.quantization === null ? 0 : 0.0124,
      max_logprob_distance: form.quantization === null ? 0 : 0.31,
      threshold: { mean: 0.05 },
      error: null,
    }));
    const answers = ["Can I return it?", "And without the receipt?"].map((content, n) => ({
      messages: [{ role: "user", content }],
      reference: { content: this.learned, tokens: 6 },
      subjects: forms.map((form) => ({
        ...form,
        deployment_id: null,
        content: form.quantization !== null && n === 1 ? "Yes, within thirty days." : this.learned,
      })),
    }));
    return { verdict: "passed", subjects, answers, error: null };
  }

  private export(method: string, id: string, action: string, body: string, origin: string): Reply {
    const created = method === "PUT" ? this.put(this.exports, id, body) : 200;
    const thing = this.exports.get(id);
    if (!thing) return notFound;
    if (action === "cancel") thing.over = true;
    const status = thing.over
      ? "cancelled"
      : stageOf(["queued", "preflight", "building", "uploading", "succeeded"], thing);
    const { repo_id: repo } = thing.spec.destination as { repo_id: string };
    const succeeded = status === "succeeded";
    return [
      created,
      {
        export: {
          export_id: id,
          status,
          progress: status === "uploading" ? { bytes_done: 4e8, bytes_total: 5e8 } : null,
          commit_oid: succeeded ? COMMIT : null,
          url: succeeded ? `${origin}/${repo}/commit/${COMMIT}` : null,
          files: succeeded
            ? [
                { path: "support-q4_k_m.gguf", size: 5e8, sha256: SHA },
                { path: "README.md", size: 2100, sha256: SHA },
              ]
            : [],
          error: null,
        },
      },
    ];
  }
}
