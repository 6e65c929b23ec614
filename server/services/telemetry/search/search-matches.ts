import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { onOneLine } from "@/server/platform/excerpt";
import { onlySymbolsOf } from "@/server/platform/text/symbols";
import { wordsOf } from "@/server/platform/text/words";
import type { MessagePart, SearchMatch } from "../schemas";

/** Messages searched per conversation: a page has up to a hundred conversations, some of them with thousands. */
const MESSAGES_READ = 60;
const BEFORE_CHARACTERS = 40;
const AFTER_CHARACTERS = 120;

/**
 * Returns, by conversation, where the longest word of a search, or its symbols, occur in its first messages. A conversation is absent if the
 * word occurs only later, or if the search found its id.
 */
export async function searchMatches(
  { db, projectId }: Ctx,
  ids: readonly string[],
  q: string,
): Promise<ReadonlyMap<string, SearchMatch>> {
  const isSymbols = onlySymbolsOf(q).length > 0;
  const word = isSymbols
    ? q.trim()
    : wordsOf([q]).reduce((longest, one) => (one.length > longest.length ? one : longest), "");
  if (word === "" || ids.length === 0) return new Map();
  const rows = await db.execute<{ id: string; position: number; parts: MessagePart[] }>(sql`
    select c.id, m.position, m.parts
    from unnest(${textArray([...ids])}) as c(id) cross join lateral (
      select position, parts from conversation_messages
      where project_id = ${projectId} and conversation_id = c.id and position < ${MESSAGES_READ} and parts @? ${textWith(word)}::jsonpath
      order by position limit 1
    ) m`);
  return new Map(
    [...rows].flatMap(({ id, position, parts }) => {
      const match = matchIn(parts, word);
      return match ? [[id, { messageIndex: position, ...match }] as const] : [];
    }),
  );
}

/**
 * Returns the JSON path of a text that contains a word or symbols (which the flag `q` takes literally), ignoring case: this is
 * faster than extracting the parts and searching them.
 */
const textWith = (word: string) => `$[*].text ? (@ like_regex ${JSON.stringify(word)} flag "iq")`;

function matchIn(parts: readonly MessagePart[], word: string): Omit<SearchMatch, "messageIndex"> | undefined {
  for (const { text = "" } of parts) {
    const at = text.toLowerCase().indexOf(word);
    // A character whose lower case has a different length shifts what follows it, so that the wrong words would be found.
    if (at < 0 || text.slice(at, at + word.length).toLowerCase() !== word) continue;
    const end = at + word.length;
    return {
      before: pieceOf(text.slice(Math.max(0, at - BEFORE_CHARACTERS), at)),
      found: text.slice(at, end),
      after: pieceOf(text.slice(end, end + AFTER_CHARACTERS)),
    };
  }
  return undefined;
}

/**
 * Returns the text on one line, without half surrogate pairs at its ends, keeping the spaces that join it to its surroundings.
 */
function pieceOf(text: string): string {
  const whole = text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  const line = onOneLine(whole);
  return `${/^\s/.test(whole) && line ? " " : ""}${line}${/\s$/.test(whole) ? " " : ""}`;
}
