import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { ScriptedDeployments } from "./scripted-deployments";
import { ScriptedCertificates, ScriptedExports } from "./scripted-publishing";

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);
const TOKEN = "token-of-the-scripted-trainer";
export const CAPABILITIES = {
  trainer_version: "1.0.0",
  boot_id: "boot-1",
  engine: ["transformers"],
  methods: ["sft", "dpo", "orpo", "kto"],
  adapters: ["lora", "full"],
  formats: ["safetensors", "gguf"],
  gguf_quantizations: ["q4_k_m", "q8_0"],
  compressed_quantizations: ["int8"],
  export_formats: ["gguf", "merged-16bit", "lora-adapter"],
  serve_backends: ["transformers", "llama.cpp"],
  devices: [{ id: "cpu", name: "Two cores", kind: "cpu", memory_total: 8e9, memory_free: 4e9 }],
  packages: {},
  disk_free: 1e11,
  unavailable: [{ feature: "qlora", reason: "bitsandbytes is not installed.", hint: "Install the extra qlora." }],
};

type Sent = { type: string; data?: Record<string, unknown>; attempt?: number; message?: string };
type Access = { secret?: unknown; hub_endpoint?: unknown };
type Job = {
  access: Access;
  spec: Record<string, unknown>;
  hash: string;
  status: string;
  events: object[];
  requests: Set<string>;
};
type SamplesRequest = Access & {
  targets: Record<string, unknown>[];
  prompts: { messages: { role: string; content: string }[]; tools?: object[] }[];
  max_new_tokens: number;
};
type Answer = { status: number; body: unknown };

export const problem = (status: number, code: string, message: string, more: object = {}): Answer => ({
  status,
  body: {
    error: {
      code,
      message,
      param: null,
      retryable: false,
      blame: "user",
      phase: null,
      hint: null,
      log_tail: [],
      ...more,
    },
  },
});

/** For tests: a trainer that implements the contract over HTTP and does what the test says. */
export class ScriptedTrainer {
  readonly jobs = new Map<string, Job>();
  readonly deployments = new ScriptedDeployments();
  readonly manifests = new Map<string, string>();
  /** Those that can be deleted. */
  readonly checkpoints = new Set<string>();
  /** Each request's method and path below `/v1`. */
  readonly calls: string[] = [];
  /** Overrides the trainer's own answers to calls. */
  readonly answers = new Map<string, Answer>();
  /** Calls that are carried out but whose reply is lost. */
  readonly lost = new Set<string>();
  isReachable = true;
  /** What it understands beyond the contract's first form. A trainer of before reports none, and refuses the fields. */
  features: string[] = [];
  /** What the next jobs do as soon as they are accepted. */
  script: Sent[] = [];
  report: unknown = { ok: true };
  /** Answers a prompt of a sample, as the earlier or the later model; what it throws is the trainer's error. */
  sample: (
    prompt: string,
    target: Record<string, unknown>,
  ) => { content: string; finish_reason?: string; tool_calls?: { name: string; arguments: string }[] } = () => ({
    content: "",
  });
  /** Whether sample requests are answered with the location of the result. */
  samplesTakeTime = false;
  readonly samples = new Map<string, SamplesRequest>();
  /** How many requests for answers there were, deleted ones included. */
  sampled = 0;
  readonly certificates = new ScriptedCertificates(problem);
  readonly exports = new ScriptedExports(problem);
  private readonly server = createServer((request, response) => void this.serve(request, response));

  async start() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return this;
  }

  /** Where it serves the contract, for its agent. */
  get address() {
    const { port } = this.server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, token: TOKEN };
  }

  /** Ends its agent, if it has one. */
  detach: () => void = () => {};

  async stop() {
    this.detach();
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Appends events to a job's log. */
  say(jobId: string, ...events: Sent[]) {
    const job = this.jobs.get(jobId);
    if (!job) throw new Error(`The trainer has no job ${jobId}.`);
    for (const { type, data = {}, attempt = 1, message = "" } of events) {
      if (type === "job.status" || type === "job.finished") job.status = String(data.status);
      const ts = new Date().toISOString();
      job.events.push({ seq: job.events.length + 1, job_id: jobId, attempt, ts, level: "info", type, message, data });
    }
  }

  private async serve(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", "http://trainer");
    const call = `${request.method} ${url.pathname.replace(/^\/v1/, "")}`;
    this.calls.push(call);
    if (!this.isReachable) return void request.socket.destroy();
    const isOurs = request.headers.authorization === `Bearer ${TOKEN}`;
    const completed = /^POST \/deployments\/([^/]+)\/v1\/chat\/completions$/.exec(call)?.[1];
    if (isOurs && completed && !this.answers.has(call)) {
      return void (await this.deployments.complete(completed, Buffer.concat(chunks).toString(), response));
    }
    const { status, body } = isOurs
      ? (this.answers.get(call) ?? this.answer(call, url.searchParams, Buffer.concat(chunks).toString()))
      : problem(401, "unauthorized", "Not our token.");
    if (this.lost.has(call)) return void request.socket.destroy();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(request.method === "HEAD" || status === 204 ? undefined : JSON.stringify(body));
  }

  private answer(call: string, query: URLSearchParams, body: string): Answer {
    const [method, path = ""] = call.split(" ");
    const [, kind, id = "", action = ""] = path.split("/");
    if (call === "GET /capabilities") return { status: 200, body: { ...CAPABILITIES, features: this.features } };
    if (call === "POST /samples") return this.samplesOf(JSON.parse(body));
    if (kind === "samples") {
      if (method === "DELETE") {
        this.samples.delete(id);
        return { status: 200, body: { ok: true } };
      }
      const asked = this.samples.get(id);
      return asked ? this.answerSamples(asked) : problem(404, "not_found", "No such request.");
    }
    if (call === "POST /validate") return { status: 200, body: { report: this.report } };
    if (kind === "deployments") {
      const sent = method === "PUT" ? this.withoutAccess(JSON.parse(body), "deployment_hub_token") : null;
      if (sent) this.deployments.access.set(id, sent.access);
      const answer = this.deployments.answer(method ?? "", id, action, sent ? JSON.stringify(sent.spec) : body);
      if (method === "DELETE" && query.has("remove") && answer.status === 200) this.deployments.served.delete(id);
      return answer;
    }
    if (kind === "manifests") return this.manifest(method ?? "", id, body);
    const json = () => (body === "" ? null : JSON.parse(body));
    if (kind === "certificates") {
      const { spec, access } = this.withoutAccess(json() ?? {}, "build_hub_token");
      return this.certificates.answer(method ?? "", id, spec, access);
    }
    if (kind === "exports") {
      const { spec, access } = this.withoutAccess(json() ?? {}, "build_hub_token", "download_secret");
      return this.exports.answer(method ?? "", id, action, spec, access);
    }
    if (kind === "checkpoints" && method === "DELETE" && this.checkpoints.delete(id)) {
      return { status: 200, body: { ok: true } };
    }
    if (kind !== "jobs") return problem(404, "not_found", "No such route.");
    if (method === "PUT") return this.submit(id, JSON.parse(body));
    const job = this.jobs.get(id);
    if (!job) return problem(404, "not_found", "No such job.");
    if (action === "events") {
      const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
      return { status: 200, body: { events: job.events.slice(after, after + limit), last_seq: job.events.length } };
    }
    if (method === "DELETE" && !ENDED.has(job.status)) return problem(409, "in_use", `the job is ${job.status}`);
    if (method === "DELETE") return { status: 200, body: { ok: this.jobs.delete(id) } };
    if (method === "POST") return this.change(id, job, action, JSON.parse(body));
    return { status: 200, body: this.snapshot(id, job) };
  }

  private snapshot = (id: string, { status, events }: Job) => ({
    job: { job_id: id, status, last_seq: events.length },
  });

  private samplesOf(request: SamplesRequest): Answer {
    if ("secret" in request && !this.features.includes("hub_token")) {
      return problem(422, "invalid_spec", "secret: Extra inputs are not permitted");
    }
    const id = `smp_${this.sampled++}`;
    this.samples.set(id, request);
    if (!this.samplesTakeTime) return this.answerSamples(request);
    return { status: 202, body: { status: "running", location: `/v1/samples/${id}` } };
  }

  private answerSamples({ targets, prompts }: SamplesRequest): Answer {
    try {
      const answers = targets.map((target) => ({
        target,
        answers: prompts.map(({ messages }) => ({
          finish_reason: "stop",
          ...this.sample(messages.at(-1)?.content ?? "", target),
          prompt_tokens: 1,
          completion_tokens: 1,
          seconds: 0,
        })),
      }));
      return { status: 200, body: { answers, error: null } };
    } catch (error) {
      return error as Answer;
    }
  }

  private manifest(method: string, sha256: string, body: string): Answer {
    if (method === "HEAD") return { status: this.manifests.has(sha256) ? 200 : 404, body: null };
    if (method === "DELETE") {
      this.manifests.delete(sha256);
      return { status: 200, body: { ok: true } };
    }
    const found = createHash("sha256").update(body).digest("hex");
    if (found !== sha256) return problem(422, "manifest_hash_mismatch", `It has ${found}.`);
    this.manifests.set(sha256, body);
    return { status: 201, body: { sha256 } };
  }

  /** Separates the token from the body, if this version takes one. */
  private withoutAccess(given: Record<string, unknown>, feature: string, name = "secret") {
    const { [name]: secret, hub_endpoint, ...spec } = given;
    return this.features.includes(feature) ? { spec, access: { secret, hub_endpoint } } : { spec: given, access: {} };
  }

  private submit(id: string, given: Record<string, unknown>): Answer {
    const { spec, access } = this.withoutAccess(given, "hub_token");
    if ("secret" in spec) return problem(422, "invalid_spec", "secret: Extra inputs are not permitted");
    const hash = createHash("sha256").update(canonicalJson(spec)).digest("hex");
    const known = this.jobs.get(id);
    if (known && known.hash !== hash) return problem(409, "idempotency_mismatch", "Another spec has this id.");
    if (known) return { status: 200, body: this.snapshot(id, known) };
    this.jobs.set(id, {
      access,
      spec,
      hash,
      status: "queued",
      events: [],
      requests: new Set(),
    });
    this.say(id, { type: "job.accepted" }, ...this.script);
    return { status: 202, body: this.snapshot(id, this.jobs.get(id) as Job) };
  }

  private change(id: string, job: Job, action: string, { request_id }: { request_id: string }): Answer {
    if (!job.requests.has(request_id) && !["succeeded", "failed"].includes(job.status)) {
      job.requests.add(request_id);
      if (action === "cancel")
        this.say(id, { type: "job.finished", data: { status: "cancelled", stop_reason: "user" } });
      if (action === "pause") this.say(id, { type: "job.status", data: { status: "paused" } });
      if (action === "resume") this.say(id, { type: "job.status", data: { status: "running" }, attempt: 2 });
    }
    return { status: 200, body: this.snapshot(id, job) };
  }
}
