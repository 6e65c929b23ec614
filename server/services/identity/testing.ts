import { sql } from "drizzle-orm";
import { asOwner } from "@/db/testing/as-owner";

/**
 * For tests: counts all attempts in the window of the first. By the real clock a window ends every quarter of an hour or
 * every hour, possibly between two attempts of a test.
 */
export async function countInOneWindow() {
  await asOwner(async (owner) => {
    await owner.execute(sql`
    create function one_window() returns trigger language plpgsql as $$
    begin
      new.window_start = coalesce(
        (select max(window_start) from login_attempts where subject = new.subject), new.window_start);
      return new;
    end $$`);
    await owner.execute(sql`
    create trigger one_window before insert on login_attempts for each row execute function one_window()`);
  });
}
