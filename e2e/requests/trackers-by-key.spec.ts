import { startGithub } from "@/testbed/trackers/github-server";
import { startGitlab } from "@/testbed/trackers/gitlab-server";
import { startJira } from "@/testbed/trackers/jira-server";
import { startLinear } from "@/testbed/trackers/linear-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { newProject } from "../../testbed/data/project";
import { send } from "../../testbed/data/said";
import { failedBooking } from "../../testbed/product/failures";
import { expect, test } from "../support/test";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

const DIAGNOSED = { timeout: 120_000, intervals: [500] };
const FOLLOWED = { timeout: 60_000, intervals: [250] };

const TRACKERS: [string, () => Promise<SimulatedTracker>][] = [
  ["github", startGithub],
  ["gitlab", startGitlab],
  ["linear", () => startLinear()],
  ["jira", () => startJira({ deployment: "Server" })],
];

for (const [kind, start] of TRACKERS) {
  test(`over /v1, a Finding and its ticket in ${kind} stay in sync`, async ({ baseURL }) => {
    test.setTimeout(300_000);
    const project = await newProject(baseURL!);
    const keys = {
      write: await project.newKey("diagnostics:write", "diagnostics:read"),
      connect: await project.newKey("connections:manage"),
      send: await project.newKey("telemetry:write"),
    };
    const call = async (key: string, method: string, path: string, body?: object) => {
      const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: reply.status, body: (await reply.json()) as Row };
    };
    const tracker = await start();
    try {
      await send({ url: project.url, secret: keys.send }, [
        { id: "first", said: failedBooking("book_fitting"), startedAt: Date.now() - 60_000 },
      ]);
      let findingId = "";
      await expect
        .poll(async () => {
          const { findings } = (await call(keys.write, "GET", "diagnostics/findings?ruleId=tool-failure")).body;
          findingId = findings[0]?.id ?? "";
          return findingId;
        }, DIAGNOSED)
        .not.toBe("");
      const items = `diagnostics/findings/${findingId}/work-items`;

      expect((await call(keys.write, "POST", items, { provider: kind })).status).toBe(501);
      const { baseUrl, secret, destination } = tracker;
      const given = { kind, name: `Our ${kind}`, baseUrl, secret, settings: { defaultDestination: destination } };
      const { connection } = (await call(keys.connect, "POST", "connections", given)).body;
      expect((await call(keys.connect, "POST", `connections/${connection.id}/test`)).body.test).toEqual({
        ok: true,
        problems: [],
      });
      const unusable = { provider: kind, destination: tracker.unusableDestination };
      expect(await call(keys.write, "POST", items, unusable)).toMatchObject({
        status: 422,
        body: { errors: [{ path: "/destination", message: expect.stringMatching(/[a-z]{3}/) }] },
      });

      const created = await call(keys.write, "POST", items, { provider: kind });
      expect(created).toMatchObject({ status: 201, body: { workItem: { state: "open", provider: kind } } });
      const { id, externalId } = created.body.workItem;
      expect(tracker.tickets()).toMatchObject([{ externalId, isDone: false }]);

      const resolution = async () =>
        (await call(keys.write, "GET", `diagnostics/findings/${findingId}`)).body.finding.resolutionStatus;
      tracker.webhookSecret = (
        await call(keys.connect, "POST", `connections/${connection.id}/webhook`)
      ).body.webhook.secret;
      tracker.setDone(externalId, true);
      const { headers, body } = tracker.delivery(externalId);
      const hook = `${project.url}/v1/tracker-webhooks/${project.projectId}/${connection.id}`;
      const deliver = (signed: Record<string, string>) => fetch(hook, { method: "POST", headers: signed, body });
      const forged = Object.entries(headers).map(([name, value]) => [
        name,
        /token|signature/.test(name) ? "forged" : value,
      ]);
      expect((await deliver(Object.fromEntries(forged))).status).toBe(401);
      expect((await deliver(headers)).status).toBe(202);
      expect(await (await deliver(headers)).json()).toEqual({ repeated: true });
      await expect.poll(resolution, FOLLOWED).toBe("resolved");

      // Reopened in the tracker without a webhook delivery: a sync request reads it immediately.
      tracker.setDone(externalId, false);
      expect((await call(keys.write, "POST", `${items}/${id}/sync`)).body.workItem).toMatchObject({ state: "open" });
      expect(await resolution()).toBe("unresolved");
      await call(keys.write, "PATCH", `diagnostics/findings/${findingId}`, { resolutionStatus: "resolved" });
      await expect.poll(() => tracker.tickets()[0]?.isDone, FOLLOWED).toBe(true);
      await expect
        .poll(async () => (await call(keys.write, "GET", `work-items/${id}`)).body.workItem.state, FOLLOWED)
        .toBe("closed");

      const replaced = await call(keys.write, "POST", `${items}/${id}/replacements`, { provider: kind });
      expect(replaced).toMatchObject({ status: 201, body: { workItem: { state: "open" } } });
      const last = replaced.body.workItem.id;
      expect((await call(keys.write, "POST", `${items}/${last}/abandon`)).body.workItem.state).toBe("abandoned");
      expect((await call(keys.write, "POST", `${items}/${last}/retry`)).status).toBe(409);
      const { workItems } = (await call(keys.write, "GET", items)).body;
      expect(workItems.map(({ state }: Row) => state)).toEqual(["abandoned", "replaced"]);
      expect(tracker.tickets()).toHaveLength(2);
    } finally {
      await tracker.stop();
    }
  });
}
