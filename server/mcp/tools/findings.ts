import { z } from "zod";
import { operations } from "@/server/operations";
import { count } from "@/server/platform/text/amounts";
import { dismissalReason, findingSort } from "@/server/services/diagnostics/findings/schemas";
import { resolutionStatus, reviewStatus, severity } from "@/server/services/diagnostics/schemas";
import { at, callOf, clampNote, dollars, line, moreOf, paragraphs } from "../markdown";
import { clamped, cursor, id, type ToolCall, tool } from "../tool";

const TITLE_TOKENS = 80;
const findingId = id("As in fnd_….");

export const listFindings = tool({
  name: "list_findings",
  title: "List Findings",
  description:
    "Lists Findings: recurring problems in the application's conversations, with how many have them. What waits for a review is reviewStatus unreviewed.",
  effect: "read",
  input: z.object({
    reviewStatus: reviewStatus.optional(),
    resolutionStatus: z.enum([...resolutionStatus.options, "none"]).optional(),
    severity: severity.optional(),
    q: z.string().min(1).max(200).optional().describe("Words of the title."),
    ruleId: z.string().max(100).optional(),
    sort: findingSort.optional().describe("Default: newest."),
    limit: clamped(1, 25, 10),
    cursor,
  }),
  run: async ({ call, shown }, { limit, ...input }) => {
    const { findings, pagination } = await call(operations.findings.list, { ...input, limit: limit.used });
    return paragraphs(
      clampNote("limit", limit),
      findings.length === 0 && "No Finding matches.",
      ...findings.flatMap((one) => [
        `### ${line(one.id, one.signal, one.severity, one.reviewStatus, one.resolutionStatus, one.trend)}`,
        line(
          count(one.occurrenceCount, "conversation"),
          one.userCount > 0 && count(one.userCount, "user"),
          `last ${at(one.lastDetectedAt)}`,
          one.affectedCost !== null && dollars(one.affectedCost, one.costComplete),
          one.assigneeId !== null && "assigned",
        ),
        shown.block(one.title, TITLE_TOKENS),
      ]),
      moreOf("list_findings", { ...input, limit: limit.used }, pagination.nextCursor),
    );
  },
});

export const readFinding = tool({
  name: "read_finding",
  title: "Read a Finding",
  description:
    "Reads a Finding with quotes from its clearest conversations, what these have in common that others have not, and similar conversations that went well: what is needed to find and fix the cause.",
  effect: "read",
  input: z.object({ findingId }),
  run: async ({ call }, input) => {
    const { text } = await call(operations.findings.handOff, input);
    return paragraphs(text.trimEnd(), `All its conversations: ${callOf("search_conversations", input)}`);
  },
});

export const triageFinding = tool({
  name: "triage_finding",
  title: "Triage a Finding",
  description:
    "Reviews, resolves, ranks or assigns a Finding. Confirm it if it is a problem; dismiss it with a reason if not. Resolve it when the fix is out: it regresses if it occurs again. Dismissing and resolving are two calls.",
  effect: "changes",
  input: z.object({
    findingId,
    reviewStatus: reviewStatus.optional(),
    dismissalReason: dismissalReason
      .optional()
      .describe("wrong: it is no such problem, which counts against the Rule."),
    untilWorse: z.boolean().optional().describe("Dismissed until it gets clearly worse."),
    resolutionStatus: resolutionStatus.optional(),
    severity: severity.nullable().optional().describe("Pins it; null returns it to the Rule."),
    assignee: z.string().min(1).max(200).nullable().optional().describe("A member's name or id; null for nobody."),
  }),
  run: async (on, { assignee, ...input }) => {
    const assigneeId = assignee ? await memberNamed(on, assignee) : assignee;
    if (assigneeId === undefined && assignee) return whoCouldBe(on, assignee);
    const { finding } = await on.call(operations.findings.update, { ...input, assigneeId });
    return `${finding.id} is ${line(
      finding.reviewStatus,
      finding.resolutionStatus,
      finding.pinnedSeverity !== null && `pinned to ${finding.pinnedSeverity}`,
      finding.assigneeId === null ? "assigned to nobody" : "assigned",
    )}.`;
  },
});

/** Returns the id of the one member with this name; an id is returned as it is, `undefined` for none or several. */
async function memberNamed({ call }: ToolCall, name: string) {
  if (/^usr_/.test(name)) return name;
  const { assignees } = await call(operations.findings.assignees, { q: name });
  const exact = assignees.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  const [only, ...others] = exact.length > 0 ? exact : assignees;
  return others.length === 0 ? only?.userId : undefined;
}

async function whoCouldBe({ call, shown }: ToolCall, name: string) {
  const { assignees } = await call(operations.findings.assignees, {});
  const members = assignees.slice(0, 30).map((one) => `- ${one.userId}: ${shown.name(one.name)}`);
  return paragraphs(`Nothing was changed: ${shown.name(name)} is not exactly one member.`, members.join("\n"));
}
