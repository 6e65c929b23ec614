import { newProject } from "../../testbed/data/project";
import { attribute } from "../../testbed/product/known-load";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** Users' feedback is shown at the turn that it is about. */

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

test("feedback that is sent before its telemetry is shown at its message and counted in the side panel", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  const headers = { authorization: `Bearer ${project.secret}`, "content-type": "application/json" };
  const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)];
  const give = async (body: object) => {
    const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/feedback`, {
      method: "POST",
      headers,
      body: JSON.stringify({ conversationId: "chat-4711", ...body }),
    });
    expect(reply.status).toBe(201);
  };
  await give({ kind: "thumb", value: "up", traceId, spanId });
  await give({ kind: "thumb", value: "down", comment: "It asked for my number again", traceId, spanId });
  await give({ kind: "correction", value: "The order came on Monday", traceId, spanId });
  await give({ kind: "score", value: 2, scale: { min: 1, max: 5 } });

  const at = Date.now() - 60_000;
  const sent = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: {},
          scopeSpans: [
            {
              scope: { name: "shop" },
              spans: [
                {
                  traceId,
                  spanId,
                  name: "chat",
                  kind: 1,
                  startTimeUnixNano: `${at}000000`,
                  endTimeUnixNano: `${at + 900}000000`,
                  attributes: [
                    attribute("gen_ai.operation.name", "chat"),
                    attribute("gen_ai.conversation.id", "chat-4711"),
                    attribute("gen_ai.input.messages", JSON.stringify([text("user", "Where is my order?")])),
                    attribute("gen_ai.output.messages", JSON.stringify([text("assistant", "What is its number?")])),
                  ],
                },
              ],
            },
          ],
        },
      ],
    }),
  });
  expect(sent.status).toBe(200);

  await authenticate(page, project);
  await expect(async () => {
    await page.goto(`/p/${project.projectId}/conversations/chat-4711`);
    await expect(page.getByRole("article", { name: "Assistant, message 1" })).toBeVisible({ timeout: 5000 });
  }).toPass();
  const answer = page.getByRole("article", { name: "Assistant, message 1" }).getByRole("list", { name: "Feedback" });
  await expect(answer.getByRole("listitem")).toHaveCount(2);
  await expect(answer).toContainText("Thumbs down");
  await expect(answer).toContainText("It asked for my number again");
  await expect(answer).toContainText("The order came on Monday");
  const rail = page.getByRole("complementary", { name: "Findings and facts" });
  await expect(rail.getByRole("list", { name: "Feedback" })).toContainText("Score 2 of 1 to 5");
  await expect(rail).toContainText("1 thumbs down, 1 score, 1 correction");
});
