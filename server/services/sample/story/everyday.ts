import { DAY_MS } from "@/server/platform/durations";
import { dayMonth } from "./dates";
import { type Dice, pickByShare } from "./random";
import type { Script } from "./script";
import { asked, city, goodbye, orderNumber, orderOf, PRODUCTS } from "./shop";

/** A conversation in which nothing goes wrong; `at` is its time, Unix ms. */
type Scene = (dice: Dice, at: number) => Script;

const whereIsIt: Scene = (dice, at) => {
  const order = orderNumber(dice);
  const { fields } = orderOf(dice, order);
  const due = dayMonth(at + dice.between(1, 3) * DAY_MS);
  const place = city(dice);
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `Where is my order ${order}?`,
          `Can you tell me where order ${order} is at the moment?`,
          `I ordered last week and have heard nothing since. The number is ${order}.`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    {
      tool: "track_parcel",
      args: { parcel: fields.parcel },
      result: JSON.stringify({ parcel: fields.parcel, last_scan: place, expected: due }),
    },
    {
      say: dice.pick([
        `Your ${fields.item} is on its way with ${fields.carrier}. It was last scanned in ${place} and should reach you on ${due}.`,
        `Good news: ${fields.carrier} scanned the parcel in ${place} and expects to deliver it on ${due}. The tracking number is ${fields.parcel}.`,
        `It left our warehouse already. The last scan was in ${place}, and ${fields.carrier} plans the delivery for ${due}.`,
      ]),
    },
    ...goodbye(dice),
  ];
};

const chooseProduct: Scene = (dice) => {
  const product = dice.pick(PRODUCTS);
  const other = dice.pick(PRODUCTS.filter(({ sku }) => sku !== product.sku));
  const stock = dice.between(3, 60);
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `I am looking for something like the ${product.name}. Do you have it in stock?`,
          `Is the ${product.name} available, and in which sizes?`,
          `Which sizes does the ${product.name} come in, and what does it cost?`,
        ]),
      ),
    },
    {
      tool: "find_product",
      args: { query: product.name },
      result: JSON.stringify({
        sku: product.sku,
        name: product.name,
        price_eur: Number(product.price),
        sizes: product.sizes,
        stock,
      }),
    },
    {
      say: dice.pick([
        `Yes, the ${product.name} is in stock at €${product.price}. Sizes: ${product.sizes}. It has ${product.note}.`,
        `We have ${stock} of them right now. The ${product.name} costs €${product.price}, comes in ${product.sizes}, and has ${product.note}.`,
      ]),
    },
    ...(dice.chance(0.5)
      ? ([
          { user: dice.pick([`And the ${other.name}?`, `What about the ${other.name}, is that available too?`]) },
          {
            tool: "find_product",
            args: { query: other.name },
            result: JSON.stringify({
              sku: other.sku,
              name: other.name,
              price_eur: Number(other.price),
              sizes: other.sizes,
              stock: stock + 4,
            }),
          },
          { say: `The ${other.name} is available as well, at €${other.price}. It has ${other.note}.` },
        ] as const)
      : []),
    ...goodbye(dice),
  ];
};

const returnIt: Scene = (dice, at) => {
  const order = orderNumber(dice);
  const { fields, product } = orderOf(dice, order, { status: "delivered", refundable: true });
  const label = `RL-${dice.between(10_000, 99_999)}`;
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `I would like to return the ${product.name} from order ${order}. It does not fit me.`,
          `How do I send back the ${product.name}? My order is ${order}.`,
          `I bought two by mistake and want to send one back. Order ${order}.`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    {
      tool: "start_return",
      args: { order_id: order, sku: product.sku },
      result: JSON.stringify({ return_label: label, valid_until: dayMonth(at + 21 * DAY_MS) }),
    },
    {
      say: dice.pick([
        `That works. Your return label is ${label}; print it, put it on the parcel and drop it off by ${dayMonth(at + 21 * DAY_MS)}. The money goes back the way you paid, within five days of its arrival.`,
        `Here is your return label: ${label}. It is valid until ${dayMonth(at + 21 * DAY_MS)}. Once the parcel is with us, the refund takes about five days.`,
      ]),
    },
    ...goodbye(dice),
  ];
};

const refundIt: Scene = (dice) => {
  const order = orderNumber(dice);
  const { fields, product } = orderOf(dice, order, { status: "returned", refundable: true });
  const reference = `RF-${dice.between(100_000, 999_999)}`;
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `My return for order ${order} arrived at your warehouse on Monday. When do I get my money?`,
          `I sent back the ${product.name} of order ${order} two weeks ago. Could you start the refund?`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    {
      tool: "refund",
      args: { order_id: order, amount_eur: fields.total },
      result: JSON.stringify({ reference, amount_eur: fields.total, state: "accepted" }),
    },
    {
      say: `I have started the refund of €${product.price} for your ${product.name}. Your bank usually shows it within three working days; the reference is ${reference}.`,
    },
    ...goodbye(dice),
  ];
};

const newAddress: Scene = (dice) => {
  const order = orderNumber(dice);
  const { fields } = orderOf(dice, order, { status: "processing" });
  const place = city(dice);
  const street = dice.pick(["Mill Lane 4", "Station Road 18", "Am Anger 7", "Rue des Lilas 12", "Canal Street 31"]);
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `I am moving. Please send order ${order} to ${street} in ${place} instead.`,
          `Can I still change the address of order ${order}? It should go to ${street}, ${place}.`,
        ]),
      ),
    },
    { tool: "get_order", args: { order_id: order }, result: JSON.stringify(fields) },
    {
      tool: "update_address",
      args: { order_id: order, street, city: place },
      result: JSON.stringify({ order_id: order, address: `${street}, ${place}` }),
    },
    { say: `Done: order ${order} will go to ${street}, ${place}. It leaves the warehouse tomorrow.` },
    ...goodbye(dice),
  ];
};

const voucher: Scene = (dice) => {
  const code = dice.pick(["AUTUMN10", "WELCOME5", "TRAIL15", "FRIENDS10"]);
  const least = dice.pick([50, 75, 100]);
  return [
    {
      user: asked(
        dice,
        dice.pick([
          `My voucher ${code} gives no discount at the checkout. What is up with it?`,
          `How do I use the code ${code}?`,
        ]),
      ),
    },
    {
      tool: "check_voucher",
      args: { code },
      result: JSON.stringify({ code, active: true, minimum_eur: least, outlet: false }),
    },
    {
      say: `The code ${code} is active. It counts from €${least} on and for everything outside the outlet. Enter it in the last step, above the total.`,
    },
    ...goodbye(dice),
  ];
};

const QUESTIONS: readonly (readonly [questions: readonly string[], answers: readonly string[]])[] = [
  [
    ["How much is shipping to Austria?", "What do you charge for delivery within the EU?"],
    [
      "Shipping within the EU costs €4.90, and from €75 on it is free.",
      "It is €4.90 anywhere in the EU. Orders from €75 on ship free.",
    ],
  ],
  [
    ["Do you ship to Norway?", "Can I order to Oslo?"],
    [
      "Yes, we deliver to Norway for €12. Parcels take four to six working days.",
      "We do. Delivery to Norway costs €12 and takes about five working days.",
    ],
  ],
  [
    ["How long do I have to send something back?", "What is your return policy?"],
    [
      "Unworn goods can come back within 30 days of delivery.",
      "You have 30 days from the day it arrives, as long as it is unworn.",
    ],
  ],
  [
    ["Which payment methods do you take?", "Can I pay by invoice?"],
    [
      "You can pay by card, PayPal, Apple Pay or invoice. The invoice is due after 14 days.",
      "Yes, by invoice within 14 days, and also by card, PayPal or Apple Pay.",
    ],
  ],
  [
    ["How do I wash a down sleeping bag?", "Can my sleeping bag go into the washing machine?"],
    [
      "Wash it at 30 °C with down detergent, then dry it on low heat with two tennis balls until it is fluffy again.",
      "Yes: 30 °C, down detergent, no softener. Dry it slowly with tennis balls, which loosen the down.",
    ],
  ],
  [
    ["Do you have gift cards?", "I need a present. Are there vouchers?"],
    [
      "We do, from €20 to €250. They arrive by e-mail right away and never expire.",
      "Yes, gift cards from €20 to €250, sent by e-mail within minutes.",
    ],
  ],
  [
    ["How do I find my boot size?", "Are the Fen boots true to size?"],
    [
      "The Fen boots run about half a size small. Between two sizes, take the larger one.",
      "Measure your foot in the evening and add one centimetre. The Fen boots run half a size small.",
    ],
  ],
  [
    ["Is there a warranty on your tents?", "How long is the Gale tent under warranty?"],
    [
      "Tents have a warranty of five years on seams, zips and poles.",
      "Five years, for seams, zips and poles. Send us a photo and we arrange the repair.",
    ],
  ],
];

const askPolicy: Scene = (dice) => {
  const [questions, answers] = dice.pick(QUESTIONS);
  return [{ user: asked(dice, dice.pick(questions)) }, { say: dice.pick(answers) }, ...goodbye(dice)];
};

/** Scenes with their relative frequency. */
const SCENES: readonly { share: number; scene: Scene }[] = [
  { share: 28, scene: whereIsIt },
  { share: 20, scene: chooseProduct },
  { share: 14, scene: returnIt },
  { share: 8, scene: refundIt },
  { share: 8, scene: newAddress },
  { share: 6, scene: voucher },
  { share: 16, scene: askPolicy },
];

/** Returns an everyday conversation. */
export const everydayScript: Scene = (dice, at) => pickByShare(dice, SCENES).scene(dice, at);
