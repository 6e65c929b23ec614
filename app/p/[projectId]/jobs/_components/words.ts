import { capitalized, formatCount, plural } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";

/** A function's readable name; its failure handler is a job of its own. */
export const functionWords = ({ name, afterFailure }: { name: string; afterFailure: boolean }) =>
  afterFailure ? `After a failure: ${name}` : name;

export const nameOf = ({ functionName, afterFailure }: BackgroundJob) =>
  functionWords({ name: functionName, afterFailure });

const KINDS: Record<string, string> = { run: "Rule Run", backgroundJob: "job", user: "person" };

/** The kind of thing that the ids refer to: `deletion`, `Rule Run`. */
const kindWords = (of: string) => KINDS[of] ?? of.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
const kindsWords = (of: string) => (of === "user" ? "people" : `${kindWords(of)}s`);

/** The same as a heading for `count` of them: `Deletion`, `Rule Runs (12)`. */
export function kindHeading(of: string, count: number) {
  const words = count === 1 ? kindWords(of) : `${kindsWords(of)} (${formatCount(count)})`;
  return capitalized(words);
}

type Subject = BackgroundJob["carries"][number];

/** Returns a job's subjects by kind: its conversations, then what its event names. */
export const subjectsOf = ({ conversationIds, conversationCount, carries }: BackgroundJob): Subject[] => [
  ...(conversationCount > 0 ? [{ of: "conversation", ids: conversationIds, count: conversationCount }] : []),
  ...carries,
];

/** A job's subjects in a line: "3 Rule Runs of 1 conversation". Empty for the whole project. */
export function subjectWords({ carries, conversationCount }: BackgroundJob): string | null {
  const parts = carries.map(({ of, count }) => plural(count, kindWords(of), kindsWords(of)));
  if (parts.length === 0) return null;
  return parts.join(", ") + (conversationCount > 0 ? ` of ${plural(conversationCount, "conversation")}` : "");
}
