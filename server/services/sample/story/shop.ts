import type { Dice } from "./random";

/** The system prompt of the shop's agent. */
export const INSTRUCTIONS = `You are the support agent of Hollow Oak Outfitters, an online shop for outdoor gear.
Help with orders, parcels, returns, refunds and the choice of products. Look things up with your tools instead of guessing, and repeat exactly what they return.
Unworn goods can be returned within 30 days of delivery. Worn boots, underwear and items from the outlet cannot. Shipping within the EU costs €4.90 and is free from €75 on; to Switzerland and Norway it costs €12.
Be friendly and brief.`;

export type Product = { name: string; sku: string; price: string; sizes: string; note: string };

export const PRODUCTS: readonly Product[] = [
  {
    name: "Ridgeline 3L rain jacket",
    sku: "JK-2041",
    price: "189.00",
    sizes: "XS to XXL",
    note: "a 20,000 mm membrane and pit zips",
  },
  {
    name: "Tarn 28 daypack",
    sku: "PK-1128",
    price: "94.50",
    sizes: "one size",
    note: "a mesh back panel and a rain cover",
  },
  { name: "Cairn merino base layer", sku: "BL-3310", price: "69.90", sizes: "S to XL", note: "190 g merino wool" },
  {
    name: "Fen waterproof boots",
    sku: "BT-5504",
    price: "159.00",
    sizes: "36 to 47",
    note: "a Vibram sole and a wide toe box",
  },
  {
    name: "Lumen 400 headlamp",
    sku: "HL-0400",
    price: "44.90",
    sizes: "one size",
    note: "400 lumens and 60 hours on the low setting",
  },
  { name: "Gale two-person tent", sku: "TN-2002", price: "279.00", sizes: "one size", note: "1.9 kg and two doors" },
  {
    name: "Moss down sleeping bag",
    sku: "SB-0705",
    price: "229.00",
    sizes: "regular and long",
    note: "a comfort limit of −3 °C",
  },
  {
    name: "Ember camping stove",
    sku: "ST-0101",
    price: "54.00",
    sizes: "one size",
    note: "a piezo igniter and 2.8 kW",
  },
  { name: "Skerry trail runners", sku: "SH-7712", price: "129.00", sizes: "36 to 46", note: "an 8 mm drop" },
  {
    name: "Birch trekking poles",
    sku: "PL-0330",
    price: "79.00",
    sizes: "100 to 135 cm",
    note: "cork grips and 480 g a pair",
  },
];

export const orderNumber = (dice: Dice) => `HO-${dice.between(40_000, 89_999)}`;
export const parcelNumber = (dice: Dice) => `DX${dice.between(100_000_000, 999_999_999)}`;

const CITIES = ["Leipzig", "Lyon", "Gent", "Malmö", "Porto", "Graz", "Utrecht", "Cork", "Brno", "Aarhus"];
export const city = (dice: Dice) => dice.pick(CITIES);

const GREETINGS = ["Hi, ", "Hello, ", "Good morning, ", "Hey there, ", "", "", ""];
const THANKS = [
  "Thanks!",
  "Great, thank you.",
  "Perfect, that is all I needed.",
  "Thank you, have a nice day.",
  "Lovely, cheers.",
];
const WELCOME = [
  "You're welcome! Enjoy your time outdoors.",
  "Happy to help. Have a good trip!",
  "Glad that is settled. Have a great day!",
  "Any time. Enjoy the hills!",
];

/** Returns a question, sometimes preceded by a greeting. */
export function asked(dice: Dice, question: string): string {
  const greeting = dice.pick(GREETINGS);
  return greeting === ""
    ? question
    : `${greeting}${/^I\b/.test(question) ? question : question.charAt(0).toLowerCase() + question.slice(1)}`;
}

/** Returns a typical end of a conversation: thanks, or nothing after the answer. */
export const goodbye = (dice: Dice) =>
  dice.chance(0.45) ? [{ user: dice.pick(THANKS) }, { say: dice.pick(WELCOME) }] : [];

const CARRIERS = ["DHL", "GLS", "PostNord", "DPD"];

/** Returns an order in the form of `get_order`'s result. */
export function orderOf(dice: Dice, order: string, more: Record<string, unknown> = {}) {
  const product = dice.pick(PRODUCTS);
  return {
    product,
    fields: {
      order_id: order,
      status: "shipped",
      item: product.name,
      sku: product.sku,
      total: Number(product.price),
      carrier: dice.pick(CARRIERS),
      parcel: parcelNumber(dice),
      ...more,
    },
  };
}
