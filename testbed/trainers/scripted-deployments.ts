import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { setTimeout as wait } from "node:timers/promises";
import { canonicalJson } from "@/server/platform/json/canonical-json";

type Answer = { status: number; body: unknown };
type Served = {
  spec: Record<string, unknown>;
  hash: string;
  status: string;
  /** The next statuses, one per request. */
  ahead: string[];
  restarts: number;
  error: object | null;
  calls: number;
  lacksToken?: boolean;
};

const LIVE = ["pending", "preparing", "starting", "verifying", "running", "stopping"];
const problem = (status: number, code: string, message: string): Answer => ({
  status,
  body: {
    error: { code, message, param: null, retryable: false, blame: "user", phase: null, hint: null, log_tail: [] },
  },
});

/** Passes a call on to a model's server, and its answer back as it arrives, as the trainer does. */
async function forward({ url, token }: { url: string; token: string }, body: string, response: ServerResponse) {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body,
  });
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "application/json" });
  await pipeline(Readable.fromWeb(reply.body as WebStream), response);
}

/** For tests: the deployments of a scripted trainer, which survive its restart according to the contract. */
export class ScriptedDeployments {
  readonly served = new Map<string, Served>();
  /** The token that each was given beside its request. */
  readonly access = new Map<string, { secret?: unknown; hub_endpoint?: unknown }>();
  /** The statuses of the next deployments after they are accepted, one per request; the last one stays. */
  script: string[] = ["starting", "verifying", "running"];
  /** What the models say, in the chunks that are streamed. */
  words: string[] = ["Sunny ", "hello ", "world"];
  usage: object = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };
  /** Streams break off after this many chunks. */
  breaksAfter: number | null = null;
  /** Whether stopping takes a second request. */
  isSlowToStop = false;
  /** Delay before each chunk, in ms. */
  delayMs = 0;
  /** A real model's server, which then answers instead. */
  model: { url: string; token: string } | null = null;
  lastRequest: Record<string, unknown> | undefined;
  /** The same as it was sent. */
  lastBody = "";
  /** Number of streams that their reader ended. */
  cancelled = 0;

  /** Returns the ids of what is running or starting under a name. */
  live = (name: string, statuses: readonly string[] = LIVE) =>
    [...this.served]
      .filter(([, one]) => one.spec.served_model_name === name && statuses.includes(one.status))
      .map(([id]) => id);

  get(id: string): Served {
    const found = this.served.get(id);
    if (!found) throw new Error(`The trainer has no deployment ${id}.`);
    return found;
  }

  /** Lets a process die; `ahead` says whether it is restarted. */
  crash(id: string, ahead: string[] = ["starting", "running"]) {
    const served = this.get(id);
    Object.assign(served, { status: ahead[0], ahead: ahead.slice(1), restarts: served.restarts + 1 });
    if (served.status === "failed") served.error = this.failure("worker_crashed", "The process ended with the code 1.");
  }

  /** Lets the trainer restart while it downloads a deployment's model: it waits until it is sent the token again. */
  forget(id: string) {
    this.access.delete(id);
    Object.assign(this.get(id), { status: "starting", lacksToken: true });
  }

  failure = (code: string, message: string) => ({
    code,
    message,
    param: null,
    retryable: false,
    blame: "platform",
    phase: null,
    hint: "See the log.",
    log_tail: ["line 1"],
  });

  answer(method: string, id: string, action: string, body: string): Answer {
    if (id === "") return { status: 200, body: { deployments: [...this.served.keys()].map((one) => this.json(one)) } };
    if (method === "PUT") return this.put(id, JSON.parse(body));
    const served = this.served.get(id);
    if (!served) return problem(404, "not_found", "No such deployment.");
    if (method === "DELETE") return this.remove(id, served);
    if (action !== "") return problem(404, "not_found", "No such route.");
    const next = served.lacksToken ? undefined : served.ahead.shift();
    if (next) served.status = next;
    if ((served.status === "failed" || served.status === "timeout") && !served.error) {
      served.error = this.failure(
        served.status === "timeout" ? "deploy_timeout" : "deploy_unhealthy",
        "It never answered.",
      );
    }
    return { status: 200, body: { deployment: this.json(id) } };
  }

  private put(id: string, spec: Record<string, unknown>): Answer {
    if ("secret" in spec) return problem(422, "invalid_spec", "secret: Extra inputs are not permitted");
    const hash = createHash("sha256").update(canonicalJson(spec)).digest("hex");
    const known = this.served.get(id);
    if (known && known.hash !== hash) return problem(409, "idempotency_mismatch", "Another request has this id.");
    if (known) known.lacksToken = false;
    else {
      this.served.set(id, {
        spec,
        hash,
        status: "pending",
        ahead: [...this.script],
        restarts: 0,
        error: null,
        calls: 0,
      });
    }
    return { status: known ? 200 : 202, body: { deployment: this.json(id) } };
  }

  private remove(id: string, served: Served): Answer {
    if (this.isSlowToStop && LIVE.includes(served.status) && served.status !== "stopping") {
      Object.assign(served, { status: "stopping", ahead: [] });
      return { status: 202, body: { deployment: this.json(id) } };
    }
    if (LIVE.includes(served.status)) Object.assign(served, { status: "stopped", ahead: [] });
    return { status: 200, body: { deployment: this.json(id) } };
  }

  private json(id: string) {
    const { spec, status, restarts, error, lacksToken = false } = this.get(id);
    const isOn = status !== "pending" && status !== "preparing";
    return {
      deployment_id: id,
      ...spec,
      backend: isOn && spec.backend === "auto" ? "transformers" : spec.backend === "auto" ? null : spec.backend,
      status,
      stage_detail: null,
      restarts,
      error,
      lacks_hub_token: lacksToken,
      first_token_ms: status === "running" ? 42 : null,
      last_called_at: null,
      log_tail: [],
    };
  }

  /** Answers a chat completion as the proxied server would. */
  async complete(id: string, body: string, response: ServerResponse): Promise<void> {
    const served = this.served.get(id);
    const send = ({ status, body: json }: Answer) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    if (!served) return send(problem(404, "not_found", "No such deployment."));
    if (served.status !== "running") return send(problem(409, "wrong_state", `It is ${served.status}.`));
    served.calls += 1;
    const given = JSON.parse(body) as { stream?: boolean; model: string; stream_options?: { include_usage?: boolean } };
    this.lastRequest = given;
    this.lastBody = body;
    if (this.model !== null) return forward(this.model, body, response);
    if ("temperature" in given && Number((given as { temperature?: number }).temperature) > 2) {
      return send(problem(400, "invalid_spec", "temperature is at most 2."));
    }
    const common = { id: `chatcmpl-${randomUUID()}`, created: 1, model: given.model };
    if (!given.stream) {
      const message = { role: "assistant", content: this.words.join("") };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return send({ status: 200, body: { ...common, object: "chat.completion", choices, usage: this.usage } });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.on("close", () => {
      if (!response.writableFinished) this.cancelled += 1;
    });
    const chunk = (delta: object, finish: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
      );
    for (const [n, content] of this.words.entries()) {
      if (this.delayMs > 0) await wait(this.delayMs);
      if (n === this.breaksAfter) return void response.destroy();
      if (response.destroyed) return;
      chunk(n === 0 ? { role: "assistant", content } : { content });
    }
    chunk({}, "stop");
    if (given.stream_options?.include_usage) {
      response.write(
        `data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices: [], usage: this.usage })}\n\n`,
      );
    }
    response.end("data: [DONE]\n\n");
  }
}
