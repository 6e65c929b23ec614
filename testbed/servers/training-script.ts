import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { attachServer } from "./attach-trainer";
import { ServingScript } from "./serving-script";

const TOKEN = "a-token-of-the-scripted-trainer";
export const STEPS = 40;
const STEP_MS = 250;
const SHA = "a".repeat(64);
export const LEARNED = "Yes, within 30 days.";

type Event = { seq: number; attempt: number; ts: string; level: string; type: string; message: string; data: object };
type Run = { events: Event[]; status: string; timer: ReturnType<typeof setInterval> | undefined };

/** The base model's answer; the trained one gives the learned answers, except to `FORGOTTEN`. */
const UNLEARNED = "I do not know.";
export const FORGOTTEN = "Do you have a shop in Bern?";
/** Questions, no near copies of each other, to which the base model gives an empty answer. */
export const UNANSWERED = [
  "Can I return these boots after a month of hiking?",
  "How long does delivery to the north of Norway take?",
  "Which stove burns longest on a single cartridge?",
  "Do you repair zips of tents bought elsewhere?",
  "Where is the warehouse that my parcel left yesterday?",
  "Why was my credit card charged two times today?",
  "What size of helmet fits a child aged nine?",
  "Is the blue rope safe after one hard fall?",
  "Could somebody call me about the broken lamp tomorrow?",
  "Who decides whether an outlet item counts as worn?",
  "May we pay for our whole club by invoice?",
];
/** How long answers to samples take. */
const SAMPLE_MS = 8000;

type Samples = { targets: Record<string, unknown>[]; prompts: { messages: { content: string }[] }[] };
const answerOf = (target: Record<string, unknown>, asked: string) => {
  const isTrained = target.checkpoint_id !== undefined;
  if (UNANSWERED.includes(asked)) return isTrained ? LEARNED : "";
  if (asked === FORGOTTEN) return isTrained ? "" : LEARNED;
  return isTrained ? LEARNED : UNLEARNED;
};
const answersTo = ({ targets, prompts }: Samples) => ({
  answers: targets.map((target) => ({
    target,
    answers: prompts.map(({ messages }) => ({
      content: answerOf(target, messages.at(-1)?.content ?? ""),
      finish_reason: "stop",
      prompt_tokens: 10,
      completion_tokens: 10,
      seconds: 0.1,
    })),
  })),
  error: null,
});

const CAPABILITIES = {
  trainer_version: "1.0.0",
  boot_id: "boot-1",
  engine: ["transformers"],
  methods: ["sft", "dpo", "orpo", "kto"],
  adapters: ["lora", "full"],
  formats: ["safetensors", "gguf"],
  gguf_quantizations: ["q4_k_m", "q8_0"],
  compressed_quantizations: [],
  serve_backends: ["transformers", "llama.cpp"],
  export_formats: ["gguf", "merged-16bit", "lora-adapter"],
  devices: [{ id: "cpu", name: "Two cores", kind: "cpu", memory_total: 8e9, memory_free: 4e9 }],
  packages: { torch: "2.13.0" },
  disk_free: 1e11,
  unavailable: [
    { feature: "qlora", reason: "bitsandbytes is not installed.", hint: "Install the extra `qlora`." },
    { feature: "serve:vllm", reason: "vLLM needs a GPU.", hint: "Attach a machine that has one." },
  ],
};

const REPORT = {
  ok: true,
  errors: [],
  warnings: [{ code: "few_rows", message: "There are only a few Examples.", hint: "Collect more." }],
  rows: { total: 2, usable: 2, too_long: 0, empty_answer: 0, duplicate: 0, identical_pair: 0, label_counts: null },
  dropped: [],
  tokens: {
    total: 80,
    trained: 20,
    p50: 40,
    p95: 42,
    p99: 42,
    max: 42,
    histogram: [{ start: 0, end: 64, rows: 2 }],
  },
  truncation: { max_length: 512, rows: 0, tokens_lost: 0 },
  template: {
    has_template: true,
    training_compatible: true,
    stop_token_trained: true,
    prefix_preserving: true,
    sha256: SHA,
  },
  rendered_examples: [
    {
      example_id: "ex_1",
      reason: "The longest",
      part: "whole",
      tokens: 42,
      segments: [
        { text: "<|im_start|>user\nCan I return it?<|im_end|>\n<|im_start|>assistant\n", trained: false },
        { text: `${LEARNED}<|im_end|>`, trained: true, weight: 0.5 },
      ],
      turns: [
        { role: "user", weight: null },
        { role: "assistant", weight: 0.5 },
      ],
    },
  ],
  memory: { estimate_bytes: 1e9, breakdown: { weights: 1e9 }, fits: "yes", device: "Two cores" },
  steps_total: STEPS,
  eta_seconds: { low: 10, high: 20 },
  disk_needed_bytes: 1e9,
  resolved_spec: null,
};

/** A trainer that implements the HTTP contract; it trains and serves at the clock's pace, so that a browser can watch it. */
export async function startTrainingScript() {
  const runs = new Map<string, Run>();
  const manifests = new Set<string>();
  const samples = new Map<string, { asked: Samples; readyAt: number }>();
  const serving = new ServingScript(LEARNED);

  const say = (run: Run, type: string, data: object = {}, message = "") =>
    run.events.push({
      seq: run.events.length + 1,
      attempt: 1,
      ts: new Date().toISOString(),
      level: "info",
      type,
      message,
      data,
    });
  const end = (run: Run, data: { status: string } & Record<string, unknown>) => {
    clearInterval(run.timer);
    run.status = data.status;
    say(run, "job.finished", data, `It ${data.status}`);
  };
  const checkpoint = (id: string, step: number, more: object) => ({
    checkpoint_id: `ckpt_${id}_${step}`,
    step_number: step,
    epoch: (3 * step) / STEPS,
    kind: "adapter",
    inference_profile: { template_sha256: SHA, stop: ["<|im_end|>"], context_length: 40960, not_servable: [] },
    metrics: { train_loss: 0.5, eval_loss: 0.6 },
    files: [{ path: "model/adapter_model.safetensors", size: 1000, sha256: SHA }],
    content_sha256: SHA,
    base_model: { id: "Qwen/Qwen3-0.6B", revision: SHA.slice(0, 40) },
    resumable: true,
    bytes: 1000,
    ...more,
  });
  const train = (id: string, run: Run) => {
    let step = 0;
    run.status = "running";
    say(run, "job.status", { status: "running", phase: "training" }, "Training");
    run.timer = setInterval(() => {
      step += 1;
      say(run, "metrics", { step, train_loss: 2 / step, learning_rate: 2e-4, grad_norm: 1 });
      say(run, "phase.progress", {
        phase: "training",
        step,
        total_steps: STEPS,
        percent: (100 * step) / STEPS,
        tokens_per_second: 100,
      });
      if (step % 10 === 0) {
        say(run, "eval", { step, eval_loss: 2.2 / step }, `Validation loss ${2.2 / step}`);
        say(run, "checkpoint.saved", checkpoint(id, step, { is_best: true, is_final: step === STEPS }), "Saved");
      }
      if (step === STEPS) end(run, { status: "succeeded", stop_reason: "completed" });
    }, STEP_MS);
  };

  type Reply = [status: number, body?: unknown];
  const snapshot = (id: string, { status, events }: Run) => ({ job_id: id, status, last_seq: events.length });
  const job = (id: string, run: Run) => ({ job: snapshot(id, run) });
  const reply = (method: string, url: URL, body: string): Reply => {
    const [, kind = "", id = "", action = ""] = url.pathname.replace(/^\/v1/, "").split("/");
    if (kind === "capabilities") return [200, CAPABILITIES];
    if (kind === "validate") return [200, { report: REPORT }];
    if (kind === "samples" && method === "POST") {
      const one = `smp_${samples.size}`;
      samples.set(one, { asked: JSON.parse(body), readyAt: Date.now() + SAMPLE_MS });
      return [202, { status: "running", location: `/v1/samples/${one}` }];
    }
    if (kind === "samples") {
      const found = samples.get(id);
      if (!found) return [404, { error: { code: "not_found", message: "No such request." } }];
      return Date.now() < found.readyAt ? [202, { status: "running" }] : [200, answersTo(found.asked)];
    }
    if (kind === "manifests") {
      if (method === "HEAD") return [manifests.has(id) ? 200 : 404];
      if (createHash("sha256").update(body).digest("hex") !== id) return [422, {}];
      manifests.add(id);
      return [201, { sha256: id }];
    }
    const served = serving.reply(method, kind, id, action, body, url.origin);
    if (served !== null) return served;
    if (kind !== "jobs") return [200, { ok: true }];
    if (id === "") return [200, { jobs: [...runs].map(([one, run]) => snapshot(one, run)) }];
    if (method === "PUT" && !runs.has(id)) {
      const run: Run = { events: [], status: "queued", timer: undefined };
      runs.set(id, run);
      say(run, "job.accepted", {}, "Accepted");
      train(id, run);
      return [202, job(id, run)];
    }
    const run = runs.get(id);
    if (!run) return [404, { error: { code: "not_found", message: "No such job." } }];
    if (action === "events") {
      const after = Number(url.searchParams.get("after") ?? 0);
      const limit = Number(url.searchParams.get("limit") ?? 500);
      return [200, { events: run.events.slice(after, after + limit), last_seq: run.events.length }];
    }
    if (action === "cancel" && run.status === "running") end(run, { status: "cancelled", stop_reason: "user" });
    return [200, job(id, run)];
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const completes = /^\/v1\/deployments\/([^/]+)\/v1\/chat\/completions$/.exec(url.pathname);
    if (completes) return serving.complete(completes[1] ?? "", Buffer.concat(chunks).toString(), response);
    // As a model hub, it only identifies the token's owner: the files are uploaded by a trainer.
    if (url.pathname === "/api/whoami-v2") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ name: "acme" }));
      return;
    }
    const [status, body] =
      request.headers.authorization === `Bearer ${TOKEN}`
        ? reply(request.method ?? "GET", url, Buffer.concat(chunks).toString())
        : ([401, {}] as Reply);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(body ?? {}));
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let detach = () => {};
  return {
    /** The origin of the trainer, which is also the hub. */
    origin,
    /** Attaches it to a product. */
    async attachTo(product: { url: string; dataDir: string }) {
      ({ detach } = await attachServer(product, { url: origin, token: TOKEN }));
    },
    stop() {
      detach();
      for (const { timer } of runs.values()) clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}
