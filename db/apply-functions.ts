import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type postgres from "postgres";

type Sql = postgres.Sql | postgres.TransactionSql;
type FunctionFile = { name: string; text: string; digest: string };

/** Reads the function files; each holds one function and the triggers built on it. */
function functionFiles(folder: string): FunctionFile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => {
    const text = readFileSync(path.join(folder, file), "utf8");
    return { name: path.basename(file, ".sql"), text, digest: createHash("sha256").update(text).digest("hex") };
  });
}

/** Returns the files whose digest differs from the one recorded in the database. */
export async function changedFunctions(sql: Sql, folder: string): Promise<FunctionFile[]> {
  const files = functionFiles(folder);
  const [table] = await sql`select to_regclass('drizzle.applied_functions') as name`;
  if (!table?.name) return files;
  const rows = await sql<{ name: string; digest: string }[]>`select name, digest from drizzle.applied_functions`;
  const applied = new Map(rows.map(({ name, digest }) => [name, digest]));
  return files.filter(({ name, digest }) => applied.get(name) !== digest);
}

/** Applies function files in the caller's transaction and records their digests. */
export async function applyFunctions(tx: postgres.TransactionSql, files: readonly FunctionFile[]): Promise<void> {
  await tx`create table if not exists drizzle.applied_functions (name text primary key, digest text not null)`;
  for (const { name, text, digest } of files) {
    await tx.unsafe(text);
    await tx`
      insert into drizzle.applied_functions (name, digest) values (${name}, ${digest})
      on conflict (name) do update set digest = excluded.digest`;
  }
}
