import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, listConnections, updateConnection } from "..";

const BAD = "{{ finding.title }}\n{{ finding.summary | nope }}";
const refused = (field: string) => ({
  code: "unprocessable",
  errors: [{ path: `/settings/${field}`, message: expect.stringContaining("undefined filter: nope (line 2") }],
});
const create = (ctx: Ctx, settings: object) =>
  createConnection(ctx, { kind: "github", name: "Ours", secret: "a token", settings });

test.each(["titleTemplate", "bodyTemplate"])("a %s that cannot be rendered is refused with its line", async (field) => {
  const { ctx } = await testProject();
  await expect(create(ctx, { [field]: BAD })).rejects.toMatchObject(refused(field));
  expect((await listConnections(ctx, {})).connections).toEqual([]);
  const { connection } = await create(ctx, { [field]: "{{ project.name }}: {{ finding.title }}" });
  const update = updateConnection(ctx, { connectionId: connection.id, settings: { [field]: BAD } });
  await expect(update).rejects.toMatchObject(refused(field));
});

test("a template that passes a limit is refused with its line and the limit", async () => {
  const { ctx } = await testProject();
  const bodyTemplate = `{% assign all = "0123456789" %}
{% for n in (1..20) %}{% assign all = all | append: all %}{% endfor %}`;
  await expect(create(ctx, { bodyTemplate })).rejects.toMatchObject({
    errors: [
      {
        path: "/settings/bodyTemplate",
        message: "The template cannot be rendered: line 2 makes more than 1,000,000 characters and elements of lists.",
      },
    ],
  });
});

test("an update that leaves the templates as they are does not try them, and another project's connection is a 404", async () => {
  const { ctx } = await testProject();
  const { connection } = await create(ctx, { titleTemplate: "{{ finding.title }}" });
  const change = {
    connectionId: connection.id,
    settings: { titleTemplate: "{{ finding.title }}", labels: ["agents"] },
  };
  expect((await updateConnection(ctx, change)).connection.settings).toMatchObject({ labels: ["agents"] });
  const { ctx: stranger } = await testProject();
  await expect(updateConnection(stranger, change)).rejects.toMatchObject({ code: "not_found" });
});
