import type { startGithub } from "@/testbed/trackers/github-server";
import { newProject } from "../../testbed/data/project";
import { seed } from "../../testbed/data/seed";
import type { Attacker } from "./kinds";

/** A request that gets no reply for this long counts as one that hangs. */
const REPLY_MS = 60_000;

/** Returns somebody with a project, a key and a connection to this tracker. */
export async function attackerOf(
  product: { url: string; dataDir: string },
  github: Pick<Awaited<ReturnType<typeof startGithub>>, "baseUrl" | "secret" | "destination">,
): Promise<Attacker> {
  const project = await newProject(product.url, product.dataDir);
  const secret = await project.newKey(
    ...([
      "project:data:read",
      "project:data:write",
      "models:manage",
      "diagnostics:read",
      "diagnostics:write",
      "connections:manage",
      "workspace:read",
      "telemetry:write",
    ] as never[]),
  );
  await seed(project, [{ id: "one", model: "gpt-4o", ask: "Where?", answer: "Here.", failingTool: true }]);
  const call: Attacker["call"] = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: body as BodyInit }),
      signal: AbortSignal.timeout(REPLY_MS),
    }).catch(() => undefined);
    await reply?.arrayBuffer().catch(() => {});
    return reply?.status ?? 0;
  };
  const json = async (path: string, body: BodyInit, type = "application/json") => {
    const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": type },
      body,
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json() as Promise<Record<string, Record<string, string>>>;
  };
  await json(
    "connections",
    JSON.stringify({
      kind: "github",
      name: "Issues",
      baseUrl: github.baseUrl,
      secret: github.secret,
      settings: { defaultDestination: github.destination },
    }),
  );
  const { dataset } = await json("datasets", JSON.stringify({ name: "Answers" }));
  return {
    url: product.url,
    port: Number(new URL(product.url).port),
    secret,
    projectId: project.projectId,
    call,
    async preview(content) {
      const name = encodeURIComponent(`file-${crypto.randomUUID()}`);
      const { file } = await json(`files?name=${name}`, content as BodyInit, "application/octet-stream");
      return call("POST", `datasets/${dataset?.id}/import-preview`, JSON.stringify({ fileId: file?.id }));
    },
  };
}
