import { DAY_MS } from "@/server/platform/durations";
import { dayMonth } from "./dates";
import type { Dice } from "./random";
import type { Script } from "./script";
import { asked, city, orderNumber, orderOf, PRODUCTS } from "./shop";

const LOOKUPS = [4, 5, 4, 6];

/** The agent looks up the same parcel again and again. */
export function loopScript(dice: Dice, at: number): Script {
  const order = orderNumber(dice);
  const { fields } = orderOf(dice, order);
  const place = city(dice);
  const scan = {
    tool: "track_parcel",
    args: { parcel: fields.parcel },
    result: JSON.stringify({ parcel: fields.parcel, last_scan: place, scanned_on: dayMonth(at - DAY_MS) }),
  };
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `The tracking of order ${order} has not moved since yesterday. What is going on?`,
          `Is my parcel lost? The order is ${order}.`,
          `When will order ${order} arrive?`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    ...Array.from({ length: dice.pick(LOOKUPS) }, () => scan),
    {
      say: `${fields.carrier} scanned the parcel in ${place} on ${dayMonth(at - DAY_MS)}. From there it usually takes one or two days.`,
    },
  ];
}

/** The agent promises a refund that the order's own data rules out. */
export function wrongRefundScript(dice: Dice, at: number): Script {
  const order = orderNumber(dice);
  const { fields, product } = orderOf(dice, order, { status: "delivered", refundable: false, outlet: true });
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `I bought the ${product.name} in your outlet, order ${order}. Can I have my money back?`,
          `What are my options with order ${order}? I do not need the ${product.name} any more.`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    {
      say: `Here is what I see for order ${order}:\n- Item: ${fields.item}\n- Status: delivered\n- Refundable: Yes\nPut it into its box and bring it to any ${fields.carrier} shop by ${dayMonth(at + 14 * DAY_MS)}.`,
    },
  ];
}

/** The agent repeats itself after being corrected. */
export function ignoredCorrectionScript(dice: Dice): Script {
  const product = dice.pick(PRODUCTS);
  const other = dice.pick(PRODUCTS.filter(({ sku }) => sku !== product.sku));
  const answer = `The ${product.name} costs €${product.price} and has ${product.note}. It ships today if you order before two o'clock.`;
  return [
    {
      user: asked(
        dice,
        dice.pick([`What does the ${other.name} cost?`, `Tell me the price of the ${other.name}, please.`]),
      ),
    },
    {
      tool: "find_product",
      args: { query: other.name.split(" ")[0] },
      result: JSON.stringify([product, other].map(({ sku, name, price }) => ({ sku, name, price_eur: Number(price) }))),
    },
    { say: answer },
    {
      user: dice.pick([
        `No, that's wrong. I meant the ${other.name}.`,
        `You misunderstood me. It was the ${other.name} that I had in mind.`,
        `No, that is wrong. It is the ${other.name} that I need.`,
      ]),
    },
    { say: answer },
  ];
}

const EMPTY_QUESTIONS = [
  [
    "Which of your jackets is best for cycling in the rain?",
    "The Ridgeline 3L is the one to take: it has pit zips, and its back is cut long enough for the bike.",
  ],
  [
    "Is the Tarn 28 small enough for hand luggage?",
    "It is. The Tarn 28 measures 50 by 28 by 20 centimetres, which most airlines accept in the cabin.",
  ],
  [
    "What is the difference between your two base layers?",
    "The Cairn is made of 190 g merino wool and is warm; the Brook is thinner and dries faster.",
  ],
  [
    "Can I use the Ember stove with other cartridges?",
    "You can use every screw cartridge of the norm EN 417 with it, whichever brand it is.",
  ],
  [
    "Do the Birch poles fit into a 28 litre pack?",
    "Yes, folded they are 38 centimetres long, so they fit inside the Tarn 28.",
  ],
  [
    "Will the Moss sleeping bag do for a night at zero degrees?",
    "It will. Its comfort limit is −3 °C, so there is some room left at zero degrees.",
  ],
  [
    "How heavy is the Gale tent without its bag?",
    "Without the bag and the pegs it weighs 1.7 kg, and 1.9 kg with everything.",
  ],
] as const;

/** The entire output of a model that writes nothing. */
const NOTHING = "\n";

/** The agent's first answer has no content. `n` cycles through the questions. */
export function emptyAnswerScript(dice: Dice, n: number): Script {
  const [question, answer] = EMPTY_QUESTIONS[n % EMPTY_QUESTIONS.length]!;
  return [
    { user: asked(dice, question) },
    { say: NOTHING },
    { user: dice.pick(["Hello?", "Are you still there?", "I see nothing here."]) },
    { say: answer },
  ];
}

/** The customer mistypes the number, and the agent asks again: a failed call that is handled well. */
export function mistypedOrderScript(dice: Dice): Script {
  const order = orderNumber(dice);
  const wrong = `${order.slice(0, -1)}0${order.slice(-1)}`;
  const { fields } = orderOf(dice, order);
  return [
    { user: asked(dice, `Could you check order ${wrong} for me?`) },
    {
      tool: "get_order",
      args: { order_id: wrong },
      result: JSON.stringify({ error: `order ${wrong} not found` }),
      isError: true,
    },
    { say: `I could not find an order ${wrong}. Could you look at the number in your confirmation once more?` },
    { user: `It is ${order}, I typed one digit too many.` },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    { say: `Now I see it: the ${fields.item} left our warehouse with ${fields.carrier}.` },
  ];
}

/** The provider refuses a call because of its rate limit; the agent retries it. */
export function rateLimitedScript(dice: Dice): Script {
  const product = dice.pick(PRODUCTS);
  return [
    { user: asked(dice, `What can you tell me about the ${product.name}?`) },
    {
      refused: {
        type: "RateLimitError",
        message: "429 Rate limit reached for requests per minute. Please try again in 2 s.",
      },
    },
    { say: `The ${product.name} costs €${product.price}. It comes in ${product.sizes} and has ${product.note}.` },
  ];
}
