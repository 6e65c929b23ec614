import { HOUR_MS } from "@/server/platform/durations";
import type { TestProject } from "./project";
import { type Said, type Spoken, send } from "./said";

/** Conversations with a shop's assistant; exactly one objective learns from each. */

const user = (text: string): Said => ({ role: "user", text });
const assistant = (text: string): Said => ({ role: "assistant", text });
const called = (id: string, name: string, args: object, result: string): Said[] => [
  { role: "assistant", calls: [{ id, name, args }] },
  { role: "tool", of: id, text: result },
];

export const GOAL = {
  title: "Return policy",
  description: "Lamps can be returned within 30 days, with the receipt.",
  keyPhrases: ["return window"],
};

export type Lesson = Omit<Spoken, "startedAt"> & {
  user: string;
  objective: string;
  /** The objective's name on screen. */
  name: string;
  reasonCode: string;
  reason: string;
  kind: string;
  /** Index of the message in question. */
  turn: number;
  /** The text or tool call of the Example's answer, and of the rejected one. */
  answer: string;
  rejected: string | null;
  /** Words of the end user that no other conversation has. */
  words: string;
};

/** The user whose data is deleted, and who has the second and the third conversation. */
export const GONE = "ann-42";
export const STAYS = ["bob-7", "cleo-1"] as const;

export const LESSONS: readonly Lesson[] = [
  {
    id: "success",
    user: STAYS[0],
    objective: "preserve_successful_behavior",
    name: "Preserve successful behavior",
    reasonCode: "accepted_by_user",
    reason: "The user accepted this answer: “Perfect, that worked, thank you!”.",
    kind: "conversation",
    turn: 1,
    answer: "Hold the power button for ten seconds",
    rejected: null,
    words: "pair my Aurora lamp",
    said: [
      user("How do I pair my Aurora lamp with a new phone?"),
      assistant("Hold the power button for ten seconds until the ring turns blue, then choose Add lamp in the app."),
      user("Perfect, that worked, thank you!"),
      assistant("You're welcome!"),
    ],
  },
  {
    id: "corrected",
    user: GONE,
    objective: "learn_from_user_corrections",
    name: "Learn from user corrections",
    reasonCode: "user_correction_accepted",
    reason: "The user corrected the assistant: “No, I said Tuesday.”, and accepted its next answer: “Great, thanks!”.",
    kind: "correction",
    turn: 1,
    answer: "on Tuesday at seven",
    rejected: "on Wednesday at seven",
    words: "four people on the terrace",
    said: [
      user("Book a table on Tuesday at seven for four people on the terrace"),
      assistant("I have a table for four people on Wednesday at seven."),
      user("No, I said Tuesday."),
      assistant("Sorry, my mistake. I have a table for four people on Tuesday at seven."),
      user("Great, thanks!"),
      assistant("You're welcome!"),
    ],
  },
  {
    id: "recovered",
    user: GONE,
    objective: "correct_failed_conversations",
    name: "Correct failed conversations",
    reasonCode: "recovered_call",
    reason:
      "`get_order` failed (“Error: order not found”); this call, which the assistant made next, succeeded, and everything it needs had already been mentioned.",
    kind: "finding",
    turn: 1,
    answer: "#W4711",
    rejected: "W4711",
    words: "my order #W4711",
    said: [
      user("Where is my order #W4711?"),
      ...called("call_1", "get_order", { id: "W4711" }, "Error: order not found"),
      ...called("call_2", "get_order", { id: "#W4711" }, '{"status":"shipped","carrier":"Post"}'),
      assistant("It has been shipped with Post."),
    ],
  },
  {
    id: "goal",
    user: STAYS[1],
    objective: "teach_project_knowledge",
    name: "Teach project knowledge",
    reasonCode: "knowledge_goal",
    reason:
      "It is about the Knowledge goal “Return policy”: the user asked about “return window”, and nobody objected to the answer.",
    kind: "knowledge_goal",
    turn: 1,
    answer: "within 30 days",
    rejected: null,
    words: "the return window",
    said: [user("How long is the return window?"), assistant("You can return lamps within 30 days, with the receipt.")],
  },
];

/** Sends them all, an hour apart. */
export const sendLessons = (project: Pick<TestProject, "url" | "secret">) =>
  send(
    project,
    LESSONS.map(({ id, user: of, said }, nth) => ({ id, user: of, said, startedAt: Date.now() - (nth + 1) * HOUR_MS })),
  );
