import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startProduct } from "../../testbed/product/product";
import { runningDatabase } from "../../testbed/product/running-database";
import { expect, test } from "../support/test";

/** Starts an Inngest server that accepts functions and events, and calls no functions. */
async function startServer() {
  const accepted: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const events = request.url?.startsWith("/e/") ? (JSON.parse(body) as { name: string }[]) : [];
    accepted.push(request.url ?? "", ...events.map(({ name }) => name));
    const reply = { ids: events.map((_, index) => String(index)), status: 200, ok: true, modified: true };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    accepted,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("an installation is not started on an Inngest server while jobs of the embedded engine are unfinished", async () => {
  const server = await startServer();
  const onServer = { INNGEST_BASE_URL: server.url, INNGEST_DEV: "1" };
  let product = await startProduct({ env: onServer });
  const { dataDir } = product;
  try {
    await expect.poll(() => server.accepted).toEqual(expect.arrayContaining(["/fn/register", "jobs/worker.started"]));
    await product.stop({ keep: true });
    product = await startProduct({ dataDir });
    expect(product.output()).toContain("The job engine was changed");
    // A worker's first sweep takes most of a minute.
    const sql = runningDatabase(dataDir);
    await expect.poll(() => sql`select 1 from job_runs where state = 'sleeping'`).not.toHaveLength(0);
    await sql.end();
    await product.stop({ keep: true });
    await expect(startProduct({ dataDir, env: onServer })).rejects.toThrow(
      /the embedded engine has unfinished background jobs.* npx whetstone job drain/,
    );
  } finally {
    await product.stop();
    server.stop();
  }
});
