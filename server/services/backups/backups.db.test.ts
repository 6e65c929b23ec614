import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { listBackups, recordBackup } from ".";

const done = (takenAt: number) => ({
  kind: "backup" as const,
  takenAt,
  bytes: 4_831_838_208, // over 4 GiB
  rows: 12,
  checksum: "ab".repeat(32),
  verifiedAt: null,
  withSecret: false,
});

test("owners of any project see when the installation was backed up, and nobody else does", async () => {
  const owner = await testProject();
  const another = await testProject();
  expect((await listBackups(owner.ctx, {})).backups).toEqual([]);
  for (const takenAt of [1000, 2000, 3000]) await recordBackup(db(), done(takenAt));
  await recordBackup(db(), { ...done(3000), kind: "restore", verifiedAt: 4000 });

  const first = await listBackups(owner.ctx, { limit: 2 });
  const rest = await listBackups(another.ctx, { limit: 2, cursor: first.pagination.nextCursor! });
  expect([...first.backups, ...rest.backups]).toMatchObject([
    { ...done(3000), kind: "restore", verifiedAt: 4000 },
    done(3000),
    done(2000),
    done(1000),
  ]);
  expect(rest.pagination.nextCursor).toBeNull();

  const manager = await testProject("manager");
  for (const ctx of [manager.ctx, owner.asKey("workspace:read", "project:data:read")])
    await expect(listBackups(ctx, {})).rejects.toMatchObject({ code: "forbidden" });
});
