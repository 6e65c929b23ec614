import { otelVariables } from "../../testbed/data/project";
import { runClient } from "../../testbed/product/client";
import { setupLinkOf, startProduct } from "../../testbed/product/product";
import { DARK, expectFitIn, LIGHT, LIGHT_PHONE } from "../support/looks";
import { seen } from "../support/seen";
import { expectSound, showIn } from "../support/sound";
import { expect, test } from "../support/test";

test("a new user gets from npm start to a confirmed Finding", async ({ page }) => {
  test.setTimeout(180_000);
  const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
  try {
    const link = await setupLinkOf(product);

    await test.step("the first person becomes the owner of a new project", async () => {
      await page.goto(link);
      for (const [colorScheme, width] of [
        ["dark", 390],
        ["light", 1280],
      ] as const) {
        await showIn(page, colorScheme);
        await page.setViewportSize({ width, height: 800 });
        await expect(page.getByLabel("First project")).toBeVisible();
        await expect(page.getByRole("button", { name: "Create account and project" })).toBeEnabled();
        await expectSound(page);
        await test.info().attach(`setup-${colorScheme}-${width}`, {
          body: await page.screenshot({ fullPage: true }),
          contentType: "image/png",
        });
      }
      await page.getByLabel("E-mail").fill("ann@example.test");
      await page.getByRole("textbox", { name: "Password" }).fill("a long enough password");
      await page.getByLabel("First project").fill("Shop");
      await page.getByRole("button", { name: "Create account and project" }).click();
      await page.waitForURL(/\/p\/prj_\w+\/send-a-trace/);
    });
    const projectId = /prj_\w+/.exec(page.url())![0];

    const secret = await test.step("the snippet has an API key", async () => {
      await expect(seen(page, "Listening…")).toBeVisible();
      await expect(page.getByRole("main")).toContainText(/whet_\w+/);
      return /whet_\w+/.exec((await page.getByRole("main").textContent()) ?? "")![0];
    });

    await test.step("a request that is refused is explained where the key is copied", async () => {
      const post = (path: string, headers: Record<string, string>) =>
        fetch(`${product.url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: "{}",
        });
      const mistyped = `${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`;
      expect((await post("/v1/otlp/v1/traces", { authorization: `Bearer ${mistyped}` })).status).toBe(401);
      expect((await post("/v1/traces", {})).status).toBe(401);
      expect((await post("/otlp/v1/traces", { authorization: `Bearer ${secret}` })).status).toBe(404);
      for (const what of ["with an unknown key", "without a key from your network", "to a wrong path"])
        await expect(seen(page, `1 request ${what}`)).toBeVisible({ timeout: 30_000 });
      await expectFitIn(page, [LIGHT, DARK, LIGHT_PHONE], "refused requests");
    });

    await test.step("an exporter sends a trace, and the page updates automatically", async () => {
      await runClient("manual-spans", {
        ...otelVariables(product.url, secret),
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      });
      await expect(seen(page, "First conversation arrived")).toBeVisible({ timeout: 60_000 });
      await expect(seen(page, "shop.country")).toBeVisible();
      await page.getByRole("link", { name: "Open the conversation" }).click();
    });

    await test.step("the conversation shows what was said and what it cost", async () => {
      await expect(page.getByText("Where is my order 4821?").first()).toBeVisible();
      await expect(page.getByText("I cannot find that order.").first()).toBeVisible();
      await expect(page.getByText("$0.0010").or(page.getByText("$0.001")).first()).toBeVisible();
    });

    await test.step("Home says how much was refused, and leads to why", async () => {
      await page.goto(`${product.url}/p/${projectId}`);
      await page.getByRole("link", { name: "Why?" }).click();
      await expect(seen(page, "1 request with an unknown key")).toBeVisible();
    });

    await test.step("a Finding appears automatically and is confirmed", async () => {
      await page
        .getByRole("link", { name: /^Findings/ })
        .first()
        .click();
      const finding = page.getByRole("link", { name: /get_order/ }).first();
      await expect(finding).toBeVisible({ timeout: 60_000 });
      await finding.click();
      await expect(page.getByText("order 4821 not found").first()).toBeVisible();
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(page.getByRole("button", { name: "Back to review" })).toBeVisible();
    });

    await test.step("the same data is read over /v1 with a key of a single capability", async () => {
      await page.goto(`${product.url}/p/${projectId}/api-keys`);
      const created = await page.request.post(`${product.url}/v1/projects/${projectId}/api-keys`, {
        headers: { origin: product.url },
        data: { name: "reader", capabilities: ["diagnostics:read"] },
      });
      expect(created.status()).toBe(201);
      const reader = (await created.json()).secret;
      const read = async (path: string) => {
        const reply = await fetch(`${product.url}/v1/projects/${projectId}/${path}`, {
          headers: { authorization: `Bearer ${reader}` },
        });
        expect(reply.status, path).toBe(200);
        return reply.json();
      };
      const { conversation } = await read("conversations/order-question");
      expect(conversation).toMatchObject({
        userId: "ann",
        cost: 0.001,
        usage: { input_tokens: 280, output_tokens: 30 },
      });
      const { findings } = await read("diagnostics/findings?reviewStatus=confirmed");
      expect(findings).toMatchObject([{ ruleId: "tool-failure", occurrenceCount: 1, resolutionStatus: null }]);
      const { occurrences } = await read(`diagnostics/findings/${findings[0].id}/occurrences`);
      expect(occurrences).toMatchObject([{ conversationExternalId: "order-question" }]);
      const refused = await fetch(`${product.url}/v1/projects/${projectId}/diagnostics/settings`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${reader}`, "content-type": "application/json" },
        body: JSON.stringify({ automaticSchedulingEnabled: false }),
      });
      expect(refused.status).toBe(403);
    });
  } finally {
    await product.stop();
  }
});
