import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { expect, test } from "vitest";
import { backUp, readBackup, restore } from "@/db/backup";
import { onServer, urlOf } from "@/db/testing/template";
import { testProject } from "@/db/testing/test-project";
import { type Envelope, unsealSecret } from "@/server/platform/key-ring";
import { createConnection } from "@/server/services/connections";

test("a secret can be decrypted in an installation restored from a backup", async () => {
  const { ctx } = await testProject();
  const { connection } = await createConnection(ctx, { kind: "github", name: "GitHub", secret: "ghp_kept" });
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-restored-"));
  const fresh = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await onServer((sql) => sql.unsafe(`create database ${fresh} template template0`));
  const to = path.join(folder, "backup.tar");
  await backUp(process.env.MIGRATION_DATABASE_URL as string, to, { secret: "s".repeat(40) });
  await restore(urlOf(fresh), await readBackup(to));
  const sql = postgres(urlOf(fresh), { max: 1, onnotice: () => {} });
  const [row] = await sql<(Envelope & { wrapped: string })[]>`
    select secret_sealed as sealed, secret_data_key as "dataKey", secret_ring_key as "ringKey", wrapped
    from connections join ring_keys on ring_keys.id = secret_ring_key where connections.id = ${connection.id}`;
  await sql.end();
  const place = { projectId: ctx.projectId, id: connection.id, field: "connections.secret" };
  expect(row && unsealSecret(place, row)).toBe("ghp_kept");
  await onServer((on) => on.unsafe(`drop database ${fresh} with (force)`));
  await rm(folder, { recursive: true });
});
