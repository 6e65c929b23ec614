import { createHash } from "node:crypto";
import { canonicalJson } from "@/server/platform/json/canonical-json";

type Answer = { status: number; body: unknown };
type Body = Record<string, unknown>;
type Problem = (status: number, code: string, message: string, more?: object) => Answer;

const hashOf = (body: Body) => createHash("sha256").update(canonicalJson(body)).digest("hex");

type Form = { kind: string; quantization: string | null };
type Certificate = { access: object; body: Body; hash: string; status: string; said: Body };

/** For tests: the certificates of a scripted trainer. Each is ready immediately unless the test says otherwise. */
export class ScriptedCertificates {
  readonly all = new Map<string, Certificate>();
  /** The verdict of the next ones; `null`: they keep running until the test sets it. */
  verdict: "passed" | "failed" | null = "passed";
  constructor(private readonly problem: Problem) {}

  /** Ends a certificate. */
  find(id: string, verdict: "passed" | "failed") {
    const known = this.all.get(id);
    if (!known) throw new Error(`The trainer has no certificate ${id}.`);
    const forms = known.body.forms as Form[];
    const deploymentId = known.body.deployment_id as string | null;
    const named = [
      ...forms.map((form) => ({ ...form, deployment_id: null as string | null })),
      ...(deploymentId === null ? [] : [{ kind: "deployment", quantization: null, deployment_id: deploymentId }]),
    ];
    const isSame = verdict === "passed";
    known.status = "ready";
    known.said = {
      verdict,
      profile_sha256: "c".repeat(64),
      subjects: named.map((subject) => ({
        ...subject,
        verdict: isSame ? "close" : "different",
        prompts: 8,
        identical_answers: isSame ? 7 : 0,
        tokens_compared: 80,
        tokens_equal: isSame ? 79 : 3,
        first_difference: isSame ? 40 : 0,
        mean_logprob_distance: isSame ? 0.01 : 2.5,
        max_logprob_distance: isSame ? 0.2 : 9,
        threshold: { mean_logprob_distance: 0.1 },
        error: null,
      })),
      answers: [
        {
          messages: [{ role: "user", content: "Where is the order?" }],
          reference: { content: "On its way.", tokens: 4 },
          subjects: named.map((subject) => ({ ...subject, content: isSame ? "On its way." : "No." })),
        },
      ],
    };
  }

  answer(method: string, id: string, body: Body | null, access: object = {}): Answer {
    if (method === "PUT" && body) {
      if ("secret" in body) return this.problem(422, "invalid_spec", "secret: Extra inputs are not permitted");
      const known = this.all.get(id);
      if (known && known.hash !== hashOf(body))
        return this.problem(409, "idempotency_mismatch", "Another has this id.");
      if (!known) {
        this.all.set(id, { access, body, hash: hashOf(body), status: "running", said: {} });
        if (this.verdict) this.find(id, this.verdict);
      }
      return { status: known ? 200 : 202, body: this.reply(id) };
    }
    return this.all.has(id)
      ? { status: 200, body: this.reply(id) }
      : this.problem(404, "not_found", "No such certificate.");
  }

  private reply(id: string) {
    const { status, said, body } = this.all.get(id) as Certificate;
    return { certificate: { certificate_id: id, checkpoint_id: body.checkpoint_id, status, error: null, ...said } };
  }
}

type Export = {
  access: object;
  body: Body;
  hash: string;
  said: Body & { status: string };
  secrets: unknown[];
};

/** For tests: the exports of a scripted trainer, which commits each one once, however often it is sent. */
export class ScriptedExports {
  readonly all = new Map<string, Export>();
  /** Ids in the order of their commits. */
  readonly commits: string[] = [];
  /** Whether the next ones succeed immediately. */
  succeeds = true;
  constructor(private readonly problem: Problem) {}

  /** Changes what an export reports about itself. */
  say(id: string, said: Body & { status: string }) {
    const known = this.all.get(id);
    if (!known) throw new Error(`The trainer has no export ${id}.`);
    known.said = { ...known.said, ...said };
  }

  /** Commits an export unless it already has been. */
  commit(id: string) {
    const { body } = this.all.get(id) as Export;
    const destination = body.destination as { endpoint: string; repo_id: string };
    if (!this.commits.includes(id)) this.commits.push(id);
    this.say(id, {
      status: "succeeded",
      progress: { bytes_done: 10, bytes_total: 10 },
      commit_oid: "d".repeat(40),
      url: `${destination.endpoint}/${destination.repo_id}`,
      files: [{ path: "model.gguf", size: 10, sha256: "e".repeat(64) }],
    });
  }

  answer(method: string, id: string, action: string, body: Body | null, access: object = {}): Answer {
    const known = this.all.get(id);
    if (method === "PUT" && body) return this.take(id, body, access, known);
    if (!known) return this.problem(404, "not_found", "No such export.");
    if (action === "cancel" && !["succeeded", "failed"].includes(known.said.status))
      this.say(id, { status: "cancelled" });
    return { status: 200, body: { export: { export_id: id, ...known.said } } };
  }

  private take(id: string, { secret, ...body }: Body, access: object, known: Export | undefined): Answer {
    if ("download_secret" in body)
      return this.problem(422, "invalid_spec", "download_secret: Extra inputs are not permitted");
    if (known && known.hash !== hashOf(body)) return this.problem(409, "idempotency_mismatch", "Another has this id.");
    const error = known?.said.error as { code?: string } | null | undefined;
    if (!known || error?.code === "worker_vanished") {
      const said = { status: "building", progress: null, commit_oid: null, url: null, files: [], error: null };
      this.all.set(id, { access, body, hash: hashOf(body), said, secrets: [...(known?.secrets ?? []), secret] });
      if (this.succeeds) this.commit(id);
    }
    return { status: known ? 200 : 202, body: { export: { export_id: id, ...this.all.get(id)?.said } } };
  }
}
