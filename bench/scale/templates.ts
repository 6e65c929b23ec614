import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";
import { createRuleRuns, executeRuleRuns } from "@/server/services/diagnostics";
import { decodeLogs, findConversation, storeLogs } from "@/server/services/telemetry";
import { chatSpan, ingest, type TestSpan } from "@/server/services/telemetry/testing";

/** Markers that a copy replaces, in every id that a client sends and in the text. */
export const MARK = {
  id: (template: number) => `-T${String(template).padStart(3, "0")}`,
  user: "usermark",
  first: "wordmarka",
  second: "wordmarkb",
  era: "eramark",
  order: "482113",
} as const;

/** Turns per conversation, with the number per thousand conversations: a long tail. */
const SIZES = [
  { turns: 1, weight: 472 },
  { turns: 2, weight: 230 },
  { turns: 3, weight: 130 },
  { turns: 5, weight: 110 },
  { turns: 10, weight: 51 },
  { turns: 25, weight: 6 },
  { turns: 100, weight: 1 },
] as const;

/** Models of the first and the second half of the time: applications change their models. */
const ERAS = [
  ["gpt-4o-2024-08-06", "claude-3-5-sonnet-20241022"],
  ["gpt-4.1-2025-04-14", "claude-sonnet-4-5-20250929"],
] as const;
/** `former` was not used in the last half of the time; `rare` is used throughout by one in a thousand. */
export const MODELS = { former: ERAS[0][0], present: ERAS[1][0], rare: "command-r-plus-08-2024" } as const;

/** Labels: one on nearly all conversations, one on a thousandth. */
export const LABELS = { plain: "production", failing: "production", japanese: "production", rare: "canary" } as const;

/** Variants per thousand conversations of a size. `anonymous`: a trace without session and user. */
const VARIANTS = { plain: 790, failing: 90, japanese: 69, anonymous: 50, rare: 1 } as const;
type Variant = keyof typeof VARIANTS;
const MOST_TURNS: Partial<Record<Variant, number>> = { anonymous: 1, rare: 2 };

type Recipe = { number: number; turns: number; era: number; weight: number; model: string; variant: Variant };
export type Template = Pick<Recipe, "number" | "era" | "weight"> & { conversationId: string };

function recipes(): Recipe[] {
  const made: Omit<Recipe, "number">[] = [];
  for (const { turns, weight } of SIZES) {
    for (const [era, models] of ERAS.entries()) {
      for (const [variant, share] of Object.entries(VARIANTS) as [Variant, number][]) {
        if (turns > (MOST_TURNS[variant] ?? turns)) continue;
        const names = variant === "rare" ? [MODELS.rare] : models;
        for (const model of names) made.push({ turns, era, model, variant, weight: (weight * share) / names.length });
      }
    }
  }
  return made.map((recipe, number) => ({ number, ...recipe }));
}

/** Runs every recipe through ingest, projector and Rules, so that the copies are of rows that the product itself wrote. */
export async function makeTemplates(ctx: Ctx): Promise<Template[]> {
  const made: Template[] = [];
  for (const recipe of recipes()) {
    await storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(logOf(recipe))), "json"));
    await ingest(ctx, spansOf(recipe));
    const [trace] = await ctx.db.execute<{ conversation_id: string }>(sql`
      select conversation_id from traces where project_id = ${ctx.projectId} and id = ${traceIdOf(recipe, 0)}`);
    const conversation = await findConversation(ctx, trace!.conversation_id);
    const { runs } = await createRuleRuns(ctx, {
      conversationId: conversation.id,
      lastActivityAt: conversation.lastActivityAt,
    });
    const runIds = runs.map((run) => run.id);
    await executeRuleRuns(ctx, runIds);
    made.push({ number: recipe.number, era: recipe.era, weight: recipe.weight, conversationId: conversation.id });
  }
  return made;
}

const START = Date.UTC(2026, 0, 1, 12);
const TURN_MS = 40_000;

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
const traceIdOf = ({ number }: Recipe, turn: number) => `${hex(number + 1, 16)}${hex(turn + 1, 16)}`;

/** One trace per turn: an agent, its model calls, and in most turns a search and a tool between them. */
function spansOf(recipe: Recipe): TestSpan[] {
  const words = wordsFrom(recipe.number + 1);
  return Array.from({ length: recipe.turns }, (_, turn) => turnOf(recipe, turn, words)).flat();
}

function turnOf(recipe: Recipe, turn: number, words: Words): TestSpan[] {
  const { variant, model } = recipe;
  const traceId = traceIdOf(recipe, turn);
  const startMs = START + turn * TURN_MS;
  const [root, search, first, tool, second] = ["a1", "b2", "c3", "d4", "e5"].map((end) => `${hex(turn, 14)}${end}`);
  const id = MARK.id(recipe.number);
  const whose = variant === "anonymous" ? {} : { "gen_ai.conversation.id": `session${id}`, "user.id": MARK.user };
  const asked = variant === "japanese" ? JAPANESE.asked : question(turn, words);
  const answered = variant === "japanese" ? JAPANESE.answered : `${words(45)}.`;
  const at = (spanId: string, from: number, to: number): TestSpan => ({
    traceId,
    spanId,
    parentSpanId: root!,
    startMs: startMs + from,
    durationMs: to - from,
  });
  const chat = (span: TestSpan, call: number, input: [string, string][], output: string) =>
    chatSpan(
      {
        ...span,
        attributes: { ...whose, "gen_ai.response.model": model, "gen_ai.response.id": `chatcmpl${id}-${turn}-${call}` },
      },
      { model, input, output, tokens: [420 + turn * 90, 80 + call * 7] },
    );
  const agent: TestSpan = {
    ...at(root!, 0, 4200),
    parentSpanId: "",
    name: "invoke_agent support",
    attributes: {
      ...whose,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "support",
      "deployment.environment": "production",
      ...(variant === "anonymous" ? {} : { "langfuse.trace.tags": [LABELS[variant], `team-${recipe.number % 7}`] }),
    },
  };
  if (turn % 3 === 1) return [agent, chat(at(first!, 300, 4100), 0, [["user", asked]], answered)];

  const result =
    variant === "failing"
      ? `Error: order ${MARK.order} not found`
      : `{"order":"${MARK.order}","status":"shipped","carrier":"${words(2)}"}`;
  return [
    agent,
    {
      ...at(search!, 100, 250),
      name: "SELECT articles",
      attributes: {
        ...whose,
        "db.system": "postgresql",
        "db.statement": "select id, title, body from articles order by embedding <=> $1 limit 5",
      },
    },
    chat(at(first!, 300, 1900), 0, [["user", asked]], words(12)),
    {
      ...at(tool!, 2000, 2300),
      name: "execute_tool get_order",
      attributes: {
        ...whose,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": `call${id}-${turn}`,
        "gen_ai.tool.call.arguments": `{"order_id":"${MARK.order}"}`,
        "gen_ai.tool.call.result": result,
      },
      ...(variant === "failing" && { error: `order ${MARK.order} not found` }),
    },
    chat(at(second!, 2400, 4100), 1, [["user", asked]], answered),
  ];
}

/** One record per conversation: most instrumentations send the content with the spans. */
const logOf = (recipe: Recipe) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeLogs: [
        {
          scope: { name: "test", version: "1" },
          logRecords: [
            {
              timeUnixNano: `${START + 350}000000`,
              traceId: traceIdOf(recipe, 0),
              spanId: `${hex(0, 14)}c3`,
              severityNumber: 9,
              body: { stringValue: `Answered with ${recipe.model} from cache region ${MARK.id(recipe.number)}` },
              attributes: [{ key: "http.request.method", value: { stringValue: "POST" } }],
            },
          ],
        },
      ],
    },
  ],
});

const question = (turn: number, words: Words) =>
  turn === 0
    ? `Where is my ${MARK.first} of order ${MARK.order}? I asked about ${MARK.second} and ${MARK.era}, ${words(12)}.`
    : `${words(16)}?`;
const JAPANESE = {
  asked: `注文番号 ${MARK.order} の ${MARK.first} はいつ届きますか。 ${MARK.second} と ${MARK.era} についても教えてください。`,
  answered: "ご注文の商品は本日発送されました。お届けは明後日の予定です。ご不明な点がございましたらお知らせください。",
};

type Words = (count: number) => string;
const VOCABULARY =
  "about account address after again agent allow already amount another answer arrive ask attach available back balance bank because been before bill block box bring broken button buy call cancel card carrier change charge check choose city claim clear click close code collect come company complete confirm contact correct cost could country coupon courier credit customer damage date day delay deliver delivery describe detail different discount door double email empty error exchange expect express fail fast find first form free friday from gift give goods great have help here hold home hour house how invoice issue item just keep kind know label large last late leave let letter like line list local long look lost made mail make manager many match mean message minute missing monday money month more name need never new next note notice nothing number offer office old once online open option order other package paid parcel part pass pay payment phone pick place please point policy post price problem process product profile promise proof provide purchase quality question quick receipt receive refund regular reply report request reset return review right road safe same save say screen search second seller send service ship shop should show sign size small sorry stand start status still stock store street such support sure take team tell thank their there thing ticket time today together tomorrow track transfer travel try type under until update use valid value voucher wait want warehouse week welcome what when where which while will with work wrong year yesterday".split(
    " ",
  );

/** Returns a deterministic word generator. */
function wordsFrom(seed: number): Words {
  let state = seed * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state;
  };
  return (count) => Array.from({ length: count }, () => VOCABULARY[next() % VOCABULARY.length]).join(" ");
}
