import { newProject, type TestProject } from "../../testbed/data/project";
import { attribute, headers } from "../../testbed/product/known-load";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
type Said = { role: string; content: string };
const HELLO: Said[] = [
  { role: "user", content: "Where is my order 1042?" },
  { role: "assistant", content: "It arrives tomorrow." },
];
const MORE: Said[] = [...HELLO, { role: "user", content: "And 1043?" }, { role: "assistant", content: "On Friday." }];

/** Sends a turn in a trace of its own, without an id of its conversation. */
async function send(project: TestProject, n: number, said: readonly Said[]) {
  const at = Date.now() - 60_000 + n * 1000;
  const span = {
    traceId: hex(0xfade + n, 32),
    spanId: hex(0xfade + n, 16),
    name: "chat gpt-4o",
    kind: 1,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 1}000000`,
    attributes: [
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.request.model", "gpt-4o"),
      attribute("gen_ai.input.messages", JSON.stringify(said.slice(0, -1))),
      attribute("gen_ai.output.messages", JSON.stringify(said.slice(-1))),
    ],
  };
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: headers(project),
    body: JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ scope: { name: "openinference.instrumentation.openai" }, spans: [span] }] }],
    }),
  });
  expect(reply.status).toBe(200);
}

test("a turn sent as a conversation of its own says which it continues, how to name it, and is joined with it", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  await send(project, 0, HELLO);
  await send(project, 1, MORE);
  const listed = async () =>
    ((await project.read("conversations")) as unknown as { conversations: { id: string; messageCount: number }[] })
      .conversations;
  await expect
    .poll(async () => (await listed()).map(({ messageCount }) => messageCount), { timeout: 30_000 })
    .toEqual([4, 2]);
  const [second, first] = await listed();
  await authenticate(page, project);
  await page.goto(`${project.url}/p/${project.projectId}/conversations/${second!.id}`);
  await page
    .getByRole("region", { name: "Continues another conversation" })
    .getByRole("button", { name: "Join…" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Join the two conversations?" });
  await expect(dialog).toContainText("with using_session(conversation_id):");
  await dialog.getByRole("button", { name: "Join", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/conversations/${first!.id}$`));
  await expect(page.getByRole("article")).toHaveCount(4, { timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Continues another conversation" })).toBeHidden();
});
