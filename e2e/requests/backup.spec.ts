import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readBackup } from "@/db/backup";
import { cli, newProject } from "../../testbed/data/project";
import { runClient } from "../../testbed/product/client";
import { startProduct } from "../../testbed/product/product";
import { expect, test } from "../support/test";

/** Tables that no longer change once a conversation is stored. */
const STILL = [
  "spans",
  "span_sources",
  "conversation_messages",
  "model_calls",
  "tool_calls",
  "projects",
  "memberships",
  "users",
];

test("a backup of a running installation restores into a fresh one with the same keys and conversations", async () => {
  test.setTimeout(240_000);
  const folder = mkdtempSync(path.join(tmpdir(), "whetstone-backup-"));
  const passphrase = path.join(folder, "passphrase");
  writeFileSync(passphrase, "words that only the operator knows\n", { mode: 0o600 });
  const file = path.join(folder, "whetstone.tar");
  const env = { DIAGNOSE_AFTER_QUIET_SECONDS: "1" };
  let product = await startProduct({ env });
  try {
    const project = await newProject(product.url, product.dataDir);
    const admin = await project.newKey("project:admin");
    await runClient("manual-spans", project.otel);
    const conversations = async (url: string) => {
      const reply = await fetch(`${url}/v1/projects/${project.projectId}/conversations`, {
        headers: { authorization: `Bearer ${project.secret}` },
      });
      return reply.ok ? (await reply.json()).conversations : reply.status;
    };
    // Waits for the Rules too: after that, nothing changes by itself.
    await expect
      .poll(async () => (await conversations(product.url))[0]?.findingCount, { timeout: 60_000 })
      .toBeGreaterThan(0);
    const { backup } = cli(product.dataDir, "backup", "--to", file, "--passphrase-file", passphrase);
    expect(backup).toMatchObject({ place: file, withSecret: true, verified: true });
    const recorded = async () => {
      const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/backups`, {
        headers: { authorization: `Bearer ${admin}` },
      });
      return (await reply.json()).backups;
    };
    const told = await recorded();
    const { checksum, bytes, rows } = backup;
    expect(told).toMatchObject([{ kind: "backup", checksum, bytes, rows, withSecret: true }]);
    expect(told[0].verifiedAt).toBeGreaterThan(0);
    expect(JSON.stringify(told)).not.toContain(folder);
    const before = await conversations(product.url);
    await product.stop();

    const fresh = mkdtempSync(path.join(tmpdir(), "whetstone-"));
    const { restored } = cli(fresh, "restore", "--from", file, "--passphrase-file", passphrase);
    expect(restored).toMatchObject({ rows: backup.rows, tables: backup.tables });
    product = await startProduct({ dataDir: fresh, env });
    expect(await conversations(product.url)).toEqual(before);
    expect(await recorded()).toMatchObject([{ kind: "restore", checksum, bytes, rows }]);

    const again = path.join(folder, "again.tar");
    cli(product.dataDir, "backup", "--to", again, "--passphrase-file", passphrase);
    const contents = async (place: string) =>
      (await readBackup(place)).manifest.tables
        .filter(({ name }) => STILL.includes(name))
        .map(({ name, rows, checksum }) => ({ name, rows, checksum }));
    expect(await contents(again)).toEqual(await contents(file));
    expect((await contents(again)).find(({ name }) => name === "spans")?.rows).toBeGreaterThan(0);
  } finally {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
