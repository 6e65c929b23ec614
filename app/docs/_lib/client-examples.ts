/** A program that works as it stands, in both languages. Its tests run it. */
export type ClientExample = { title: string; about: string; typescript: string; python: string };

const TYPESCRIPT = `
const { WHETSTONE = "", WHETSTONE_KEY = "", PROJECT_ID = "" } = process.env;
const whetstone = createWhetstone({
  url: WHETSTONE,
  apiKey: WHETSTONE_KEY,
  projectId: PROJECT_ID,
});
`;
const PYTHON = `
project_id = os.environ["PROJECT_ID"]
whetstone = Whetstone(os.environ["WHETSTONE"], os.environ["WHETSTONE_KEY"])
`;

export const CLIENT_EXAMPLES: readonly ClientExample[] = [
  {
    title: "Read a whole list",
    about:
      "Each list has an iterator over its items, which reads the next page when it is needed, and one over its pages.",
    typescript: `import { createWhetstone } from "@whetstone/client";
${TYPESCRIPT}
for await (const finding of whetstone.findings.list.items({ reviewStatus: ["unreviewed"] })) {
  console.log(finding.severity, finding.title);
}`,
    python: `import os
from whetstone import Whetstone
${PYTHON}
for finding in whetstone.findings_list_items(project_id, review_status=["unreviewed"]):
    print(finding.severity, finding.title)`,
  },
  {
    title: "Create something once",
    about:
      "Every POST that takes an `Idempotency-Key` is sent with one, so that a retry has no second effect. With a key of your own, neither has a second run of the program within 24 hours.",
    typescript: `import { createWhetstone } from "@whetstone/client";
${TYPESCRIPT}
const { dataset } = await whetstone.datasets.create(
  { name: "Refunds" },
  { idempotencyKey: "refunds-1" },
);
console.log(dataset.name, dataset.exampleCount);`,
    python: `import os
from whetstone import Whetstone
${PYTHON}
created = whetstone.datasets_create(project_id, {"name": "Refunds"}, idempotency_key="refunds-1")
print(created.dataset.name, created.dataset.example_count)`,
  },
  {
    title: "Tell refusals apart",
    about:
      "Each kind of problem is an error of its own, with the problem's `code`, `errors` and `requestId`. Requests are repeated three times after a 429, a 5xx or a lost connection, when that has no second effect, and not before `Retry-After`.",
    typescript: `import { createWhetstone, NotFoundError } from "@whetstone/client";
${TYPESCRIPT}
try {
  await whetstone.conversations.get({ conversationId: "no-such-session" });
} catch (error) {
  if (!(error instanceof NotFoundError)) throw error;
  console.log(error.status, error.code);
}`,
    python: `import os
from whetstone import NotFoundError, Whetstone
${PYTHON}
try:
    whetstone.conversations_get(project_id, "no-such-session")
except NotFoundError as error:
    print(error.status, error.code)`,
  },
];
