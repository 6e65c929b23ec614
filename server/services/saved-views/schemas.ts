import { z } from "zod";
import { RULE_RUN_ORIGINS, RULE_RUN_STATUSES, SAVED_VIEW_LISTS, SEVERITIES } from "@/db/schema/enumerations";
import { changing, filledText, idInput } from "@/server/platform/schemas";

const list = z.enum(SAVED_VIEW_LISTS);
export type SavedViewList = z.infer<typeof list>;

const text = z.string().min(1).max(1000);
const choice = text.regex(/^[\w.-]+$/);
const oneOf = (values: readonly [string, ...string[]]) => z.enum(values);
const flag = oneOf(["true", "false"]);
const number = z.string().regex(/^(\d{1,16}(\.\d{1,17})?|\d(\.\d{1,17})?e-\d{1,2})$/);
const unixMs = z.string().regex(/^\d{1,16}$/);

/** Parameters of every list: its order, as `-cost` or `cost`, and its hidden columns. */
const LIST = { sort: z.string().regex(/^-?[A-Za-z][\w.]*$/), hide: z.string().regex(/^[\w.,-]+$/) };
const TIME = { range: oneOf(["1h", "24h", "7d", "30d", "custom"]), from: unixMs, to: unixMs };

/** The filters of conversations, which charts have too. */
const CONVERSATIONS = {
  q: text,
  model: text,
  label: text,
  provider: text,
  version: text,
  tool: text,
  prompt: text,
  arm: text,
  language: text,
  user: text,
  hasUser: flag,
  findings: flag,
  finding: text,
  errors: flag,
  feedback: flag,
  thumbsDown: flag,
  minCost: number,
  maxCost: number,
  minSeconds: number,
  maxSeconds: number,
};
const SEVERAL_OF_CONVERSATIONS = ["model", "label", "provider", "version", "tool", "prompt", "arm", "language"];

/** The allowed parameters of each list: those of its page's URL, without the open row. */
export const PARAMETERS: Record<SavedViewList, Record<string, z.ZodType<string>>> = {
  conversations: { ...CONVERSATIONS, ...TIME, ...LIST },
  findings: {
    tab: choice,
    order: choice,
    severity: oneOf(SEVERITIES),
    score: z.string().regex(/^(0|1|0?\.\d{1,17})$/),
    assignee: oneOf(["me", "none"]),
    q: text,
    rule: text,
    resolution: choice,
    event: choice,
    since: unixMs,
    ...TIME,
    ...LIST,
  },
  "rule-runs": {
    status: oneOf(RULE_RUN_STATUSES),
    outcome: choice,
    origin: oneOf(RULE_RUN_ORIGINS),
    rule: text,
    conversation: text,
    backfill: text,
    ...LIST,
  },
  backfills: { status: choice, rule: text, ...LIST },
  jobs: { state: choice, function: text, ...LIST },
  charts: {
    measure: choice,
    of: text,
    by: choice,
    step: choice,
    ...CONVERSATIONS,
    range: oneOf(["7d", "30d", "90d", "365d", "custom"]),
    from: unixMs,
    to: unixMs,
  },
  audit: { action: text, actor: text, target: text, ...TIME, ...LIST },
};

/** The parameters that may occur several times, each with a different value. */
export const SEVERAL: Partial<Record<SavedViewList, readonly string[]>> = {
  conversations: SEVERAL_OF_CONVERSATIONS,
  charts: SEVERAL_OF_CONVERSATIONS,
};

export const VIEW_NAME_CHARACTERS = 80;
/** Maximum views of one list per member, and for the project. */
export const SAVED_VIEWS_MAX = 100;

const fields = {
  name: filledText(VIEW_NAME_CHARACTERS, "Enter a name."),
  /** The query string of the list's page, without `?`. */
  query: z
    .string()
    .max(4000)
    .meta({ examples: ["errors=true"] }),
  /** Whether every member of the project sees it. */
  shared: z.boolean(),
};

/** Named filters, order and hidden columns of a list. Times are Unix ms. */
export const savedView = z.object({
  id: z.string(),
  list,
  name: z.string(),
  query: z.string(),
  shared: z.boolean(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type SavedView = z.infer<typeof savedView>;

export const listSavedViewsInput = z.strictObject({ list });
export const savedViewsReply = z.object({ savedViews: z.array(savedView) });
export const createSavedViewInput = z
  .strictObject({ list, name: fields.name, query: fields.query, shared: fields.shared.default(false) })
  .meta({ examples: [{ list: "conversations", name: "Failing", query: "errors=true", shared: true }] });
export const updateSavedViewInput = changing(
  z.strictObject({
    savedViewId: idInput,
    name: fields.name.optional(),
    query: fields.query.optional(),
    shared: fields.shared.optional(),
  }),
  ["savedViewId"],
);
export const deleteSavedViewInput = z.strictObject({ savedViewId: idInput });
export const savedViewReply = z.object({ savedView });

/** Charts on one Home: each is read when it opens. */
export const PINNED_CHARTS_MAX = 12;
export const pinnedChartsInput = z.strictObject({});
export const updatePinnedChartsInput = z
  .strictObject({
    savedViewIds: z
      .array(idInput)
      .max(PINNED_CHARTS_MAX)
      .refine((ids) => new Set(ids).size === ids.length, "Name each chart once.")
      .describe("The ids of saved charts, in the order in which Home shows them.")
      // The refinement, expressed as JSON Schema.
      .meta({ uniqueItems: true }),
  })
  .meta({ examples: [{ savedViewIds: [] }] });
