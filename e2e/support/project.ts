import { execFileSync } from "node:child_process";

export type TestProject = {
  url: string;
  projectId: string;
  secret: string;
  email: string;
  password: string;
  /** Creates another key of the project. */
  newKey(...capabilities: string[]): string;
  /** Reads `/v1/projects/<id>/<path>` with the project's key. */
  read(path: string, secret?: string): Promise<Record<string, never>>;
  /** Environment for a client's OpenTelemetry SDK to send here. */
  otel: Record<string, string>;
};

const commandLine =
  (dataDir: string, env: Record<string, string> = {}) =>
  (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, ["scripts/cli.mjs", ...args, "--json"], {
        env: { ...process.env, DATA_DIR: dataDir, ...env },
        encoding: "utf8",
      }),
    );

/** Runs the operator's command line on the data directory of the running product. */
export const cli = (dataDir: string, ...args: string[]) => commandLine(dataDir)(...args);

/** Creates a person, a project and its default key in the product at `url`, shared with no other test. */
export function newProject(
  url: string,
  dataDir = process.env.E2E_DATA_DIR ?? "",
  env: Record<string, string> = {},
): TestProject {
  const cli = commandLine(dataDir, env);
  const email = `${crypto.randomUUID()}@example.test`;
  const password = "a long enough password";
  cli("user", "create", "--email", email, "--password", password);
  const { project } = cli("project", "create", "--name", "Journey", "--owner", email);
  const { secret } = cli("key", "create", "--project", project.id);
  return {
    url,
    projectId: project.id,
    secret,
    email,
    password,
    newKey: (...capabilities) =>
      cli("key", "create", "--project", project.id, ...capabilities.flatMap((one) => ["--capability", one])).secret,
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
