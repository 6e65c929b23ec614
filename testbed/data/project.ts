import { execFileSync } from "node:child_process";
import type { Capability } from "@/server/platform/capabilities";
import { founderOf } from "./founder";
import { enter, workbench } from "./workbench";

export type TestProject = {
  url: string;
  projectId: string;
  secret: string;
  email: string;
  password: string;
  /** Creates another key of the project. */
  newKey(...capabilities: Capability[]): Promise<string>;
  /** Reads `/v1/projects/<id>/<path>` with the project's key. */
  read(path: string, secret?: string): Promise<Record<string, never>>;
  /** Environment for a client's OpenTelemetry SDK to send here. */
  otel: Record<string, string>;
};

/** Runs the operator's command line on the data directory of the running product. */
export const cli = (dataDir: string, ...args: string[]) =>
  JSON.parse(
    execFileSync(process.execPath, ["scripts/cli.mjs", ...args, "--json"], {
      env: { ...process.env, DATA_DIR: dataDir },
      encoding: "utf8",
    }),
  );

/**
 * Creates a person, a project and its default key in the product at `url`, shared with no other test. Everything is done by
 * request: the founder invites the person and lets them create a project, which is the only one that they keep.
 */
export async function newProject(url: string, dataDir = process.env.E2E_DATA_DIR ?? ""): Promise<TestProject> {
  const founder = await founderOf(url, dataDir);
  const email = `${crypto.randomUUID()}@example.test`;
  const password = "a long enough password";
  const { token } = await founder.workbench.members.invite.mutate({
    projectId: founder.lobbyId,
    role: "viewer",
    email,
  });
  const { user } = await workbench(url).links.join.mutate({ token, email, password });
  const rights = (mayCreateProjects: boolean) =>
    founder.workbench.people.changeRights.mutate({ userId: user.id, mayCreateProjects });
  await rights(true);
  const person = await enter({ url, email, password });
  const { project, secret } = await person.projects.create.mutate({ name: "Journey" });
  await person.projects.leave.mutate({ projectId: founder.lobbyId });
  await rights(false);
  return {
    url,
    projectId: project.id,
    secret,
    email,
    password,
    async newKey(...capabilities) {
      const given = capabilities.length > 0 ? { capabilities } : {};
      return (await person.apiKeys.create.mutate({ projectId: project.id, name: "A test's key", ...given })).secret;
    },
    async read(path, key = secret) {
      const reply = await fetch(`${url}/v1/projects/${project.id}/${path}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
      return reply.json();
    },
    otel: otelVariables(url, secret),
  };
}

export const otelVariables = (url: string, secret: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/v1/otlp`,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${secret}`,
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "none",
  OTEL_LOGS_EXPORTER: "none",
  OTEL_SERVICE_NAME: "shop",
});
