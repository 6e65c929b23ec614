import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { newProject } from "../support/data/project";
import { askForRuns, knownTrace, sendTrace } from "../support/product/known-load";
import { startProduct } from "../support/product/product";
import { seen } from "../support/seen";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** An operator switches an installation to an Inngest server and back. The server accepts events but calls no functions. */

type Posted = { name: string; data: Record<string, unknown> };

async function startEventApi() {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const events = request.url?.startsWith("/e/") ? (JSON.parse(body) as Posted[]) : [];
    posted.push(...events);
    const reply = { ids: events.map((_, index) => String(index)), status: 200, ok: true, modified: true };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    posted,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("one engine resumes what the other left unfinished, and the Jobs page shows the change", async ({ page }) => {
  test.setTimeout(300_000);
  const server = await startEventApi();
  const env = { DIAGNOSE_AFTER_QUIET_SECONDS: "3600" };
  const onServer = { ...env, INNGEST_BASE_URL: server.url, INNGEST_DEV: "1" };
  let product = await startProduct({ env });
  const jobs = async () => (await (await fetch(`${product.url}/readyz`)).json()).checks.jobs.status as string;
  try {
    const project = await newProject(product.url, product.dataDir);
    const writer = await project.newKey("diagnostics:write", "diagnostics:read");
    const read = async (path: string) => {
      const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/${path}`, {
        headers: { authorization: `Bearer ${project.secret}` },
      });
      return reply.json();
    };
    // A worker's initial sweep runs for most of a minute, so the embedded engine leaves something behind.
    const dataDir = product.dataDir;
    await product.stop({ keep: true });
    product = await startProduct({ dataDir, env: onServer });
    await expect.poll(() => server.posted.map(({ name }) => name)).toContain("jobs/worker.started");
    await expect.poll(jobs).toBe("ok");

    expect((await sendTrace(project, product.url, knownTrace("session"))).status).toBe(200);
    await expect.poll(async () => (await read("conversations")).conversations?.length).toBe(1);
    const [{ lastActivityAt: activity }] = (await read("conversations")).conversations;
    expect((await askForRuns(project, product.url, { writer, session: "session", activity })).status).toBe(202);
    await expect.poll(() => server.posted.map(({ name }) => name)).toContain("diagnostics/rule-runs.queued");

    await product.stop({ keep: true });
    product = await startProduct({ dataDir, env });
    await expect
      .poll(async () => (await read("diagnostics/rule-runs")).runs.map(({ status }: { status: string }) => status), {
        timeout: 60_000,
      })
      .toEqual((await read("diagnostics/rules")).rules.map(() => "completed"));
    await authenticate(page, { ...project, url: product.url });
    await page.goto(`${product.url}/p/${project.projectId}/jobs`);
    await expect(seen(page, "An Inngest server ran the jobs until")).toBeVisible();
    await expect(seen(page, "Execute Rule Runs")).toBeVisible();
    expect(await jobs()).toBe("ok");
  } finally {
    await product.stop();
    server.stop();
  }
});
