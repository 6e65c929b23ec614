import type postgres from "postgres";
import { PROJECT } from "./fill";

type Found = { rule_id: string; signal: string; causes: string | null; title: string; occurrences: number };

/** Returns the Findings with the fields that must not depend on the order in which conversations are read. */
export const findingsOf = async (sql: postgres.Sql): Promise<Found[]> =>
  await sql<Found[]>`
    select f.rule_id, f.signal, f.title, count(o.id)::int as occurrences,
      (select string_agg(c.cause, ' | ' order by c.cause) from finding_causes c
       where c.project_id = f.project_id and c.finding_id = f.id) as causes
    from findings f join occurrences o on o.project_id = f.project_id and o.finding_id = f.id
    where f.project_id = ${PROJECT} group by f.project_id, f.id order by 1, 2, 5, 3, 4`;

export function sameFindings(a: readonly Found[], b: readonly Found[]): boolean {
  const differing = a.filter((one, index) => JSON.stringify(one) !== JSON.stringify(b[index]));
  for (const one of differing.slice(0, 5)) console.log(`        differs: ${JSON.stringify(one)}`);
  return a.length === b.length && differing.length === 0;
}
