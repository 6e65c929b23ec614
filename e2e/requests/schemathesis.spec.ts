import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CAPABILITIES } from "@/server/platform/capabilities";
import { amount, isLong } from "../../scripts/lib/testing/amounts.mjs";
import { schemathesisPath } from "../../scripts/lib/testing/schemathesis.mjs";
import { newProject } from "../../testbed/data/project";
import { expect, test } from "../support/test";

/** Requests generated for each operation. */
const EXAMPLES = amount(5, 15);
const DELETES_ITS_PROJECT = "projects.delete";
/**
 * Operations that take the same body or the same filters as another, whose every boundary is requested: a thousand requests
 * each. The long run requests theirs, too.
 */
const LIKE_ANOTHER = [
  "trainingJobs[.]validate", // trainingJobs.create
  "tuningConfigs[.](create|update)", // 〃
  "examples[.](batch|update)", // examples.create
  "reviewQueue[.]approve", // 〃
  "modelPrices[.](create|update|estimate|previewPattern)", // those of a project
  "modelPrices[.]updateInProject", // modelPrices.createInProject
  "rules[.]preview", // rules.try
  "rules[.](createVersion|proposeFilter|tryDescription)", // rules.create
  "variants[.]try", // variants.create
  "conversations[.](download|facets|histogram|count)", // conversations.list
  "findings[.](download|count)", // findings.list
  "audit[.]download", // audit.list
  "charts[.]download", // charts.query
  "(alerts|connections|gatewayAliases|handoffRules|notificationRules)[.]update", // their create
];

/** Configures the statuses documented for requests that a schema alone can neither reject nor accept. */
const settings = (projectId: string) => `
hooks = ${JSON.stringify(path.resolve("e2e/schemathesis/hooks.py"))}
[parameters]
"path.projectId" = ${JSON.stringify(projectId)}
[generation]
# Postgres cannot keep U+0000 in a text: it is refused by name, which no JSON Schema of ours says for every string.
allow-x00 = false
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431]
[checks.positive_data_acceptance]
# 416: the file is shorter than the range that was asked for.
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 416, 422, 429]
# What a JSON Schema cannot say: what holds among the tiers of a price, among the messages of an Example and between two fields, what
# RE2 takes as a pattern, and what a score's scale allows.
[[operations]]
include-operation-id-regex = "^(modelPrices[.](create|update|estimate)|feedback[.]create|backfills[.](create|preview)|(datasets[.](create|update)|examples[.](create|update|addConversations|previewConversations)|collectionPasses[.]create)$)"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 400, 401, 403, 404, 409, 422, 429]
# A batch answers each of its items: one that breaks the schema is a 400 in its own result, beside the results of the others.
[[operations]]
include-operation-id-regex = "^examples[.]batch$"
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 400, 401, 403, 404, 409, 422, 429]
checks.negative_data_rejection.expected-statuses = [200, 400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431]
# Of the blocks that name an operation the first holds, so these stand before that of all fine-tuning.
# A quantization belongs to a GGUF export and to no other, which a JSON Schema does not say.
[[operations]]
include-operation-id-regex = "^(trainingJobs[.](create|validate)|modelExports[.]create|tuningConfigs[.](create|update))$"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
checks.positive_data_acceptance.expected-statuses = [501, 400, 401, 403, 404, 409, 422, 429]
# The body of a stream is read by the service, which looks for a trainer first.
[[operations]]
include-operation-id-regex = "^deployments[.]completeChat$"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
checks.positive_data_acceptance.expected-statuses = [501, 401, 403, 404, 409, 422, 429]
checks.negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431, 501]
# This runtime has no service for these: 501 is the documented answer, and any other server error is still a fault.
[[operations]]
include-operation-id-regex = "^(trainingJobs|checkpoints|certificates|deployments|evaluations|modelExports|tuningConfigs|baseModels|variants)[.]"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
# What is stored is read without a trainer. 409 and 422: it reuses an Idempotency-Key for another request.
checks.positive_data_acceptance.expected-statuses = ["2xx", 501, 401, 403, 404, 409, 422, 429]
# The tracker of the project's connection does not exist.
[[operations]]
include-operation-id-regex = "^connections[.](get|update)TicketFields$"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 422, 429, 503]
# The project has no connection to an issue tracker.
[[operations]]
include-operation-id-regex = "^(workItems[.]|findings[.]repairHandoff)"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 422, 429, 501]
`;

/** Runs it on a separate project; returns its output if it found something. */
async function run(url: string, ...args: string[]) {
  const { projectId, newKey } = await newProject(url);
  const secret = await newKey(...CAPABILITIES);
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-schemathesis-"));
  writeFileSync(path.join(folder, "schemathesis.toml"), settings(projectId));
  const child = spawn(
    schemathesisPath(),
    [
      ...["run", `${url}/v1/openapi.json`, "--header", `Authorization: Bearer ${secret}`, "--checks", "all"],
      ...["--max-examples", String(EXAMPLES), "--generation-deterministic", "--continue-on-failure"],
      ...["--warnings", "off", "--no-color", ...args],
    ],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  rmSync(folder, { recursive: true, force: true });
  return { code, output };
}

test.describe("/v1 conforms to its OpenAPI document, whatever it receives", () => {
  test.skip(!existsSync(schemathesisPath()), "`npm test` installs schemathesis, where it finds a Python 3.10");
  test.setTimeout(60 * 60_000);

  test("every operation, one after another and in sequences", async ({ baseURL }) => {
    const others = ["--exclude-operation-id", DELETES_ITS_PROJECT];
    const alike = isLong ? [] : ["--exclude-operation-id-regex", `^(${LIKE_ANOTHER.join("|")})$`];
    const runs = await Promise.all([
      run(baseURL!, ...others, "--phases", "examples,fuzzing,stateful"),
      run(baseURL!, ...others, ...alike, "--phases", "coverage"),
    ]);
    for (const { code, output } of runs) {
      expect(output).toMatch(/Tested: \d\d/);
      expect(code, output).toBe(0);
    }
  });

  test("the deletion of a project", async ({ baseURL }) => {
    const { code, output } = await run(baseURL!, "--include-operation-id", DELETES_ITS_PROJECT);
    expect(code, output).toBe(0);
  });
});
