import { describe, expect, test } from "vitest";
import { type PricedNames, pricesByVendor, snapshotsDiffer, withoutOtherPrices } from "./snapshots";

const row = (price: string, names: string[], stems: string[] = []): PricedNames => ({
  vendor: "deepseek",
  price,
  names,
  stems,
});
const router = (prices: Record<string, string | null>) =>
  pricesByVendor(Object.entries(prices).map(([id, price]) => ({ id, price })));

test("a router's prices are grouped by our vendors, without free ones", () => {
  const prices = router({ "deepseek-ai/DeepSeek-A": "1/2", "deepseek/b": null, c: "1/2", "nobody/d": "1/2" });
  expect([...prices]).toEqual([["deepseek:deepseek-a", "1/2"]]);
});

describe("a dated name of a row", () => {
  const listed = row("3/4", ["chat", "chat-v3-0324", "chat-2026-01-31"], ["chat-r1-05-28"]);
  const left = (prices: Record<string, string>) => {
    const { names, stems } = withoutOtherPrices(listed, router(prices));
    return [...names, ...stems];
  };

  test("is removed when a router lists it at another price than the undated name and the row", () => {
    const prices = { "deepseek/chat": "5/6", "deepseek/chat-v3-0324": "7/8", "deepseek/chat-r1-05-28": "9/9" };
    expect(left(prices)).toEqual(["chat", "chat-2026-01-31"]);
  });

  test.each([
    ["nobody lists it", {}],
    ["the undated one is not listed", { "deepseek/chat-v3-0324": "7/8" }],
    ["both have one price", { "deepseek/chat": "7/8", "deepseek/chat-v3-0324": "7/8" }],
    ["it is at the row's price", { "deepseek/chat": "5/6", "deepseek/chat-v3-0324": "3/4" }],
    ["it is another vendor's", { "openai/chat": "5/6", "openai/chat-v3-0324": "7/8" }],
  ])("stays when %s", (_, prices) => expect(left(prices)).toEqual([...listed.names, ...listed.stems]));
});

describe("snapshots of a model", () => {
  const chat = row("3/4", ["chat", "chat-0101"]);

  test("differ when a removed one differs or another row has one at another price", () => {
    expect(snapshotsDiffer(row("3/4", ["chat"]), chat, [])).toBe(true);
    for (const name of [
      "chat-2026-01-31",
      "chat-20260131",
      "chat-0131",
      "chat-01-31",
      "chat-01-2026",
      "Chat-2026-01-31",
    ]) {
      expect(snapshotsDiffer(chat, chat, [chat, row("7/8", [name])]), name).toBe(true);
    }
  });

  test("agree when all of their known prices are the same", () => {
    const others = [row("3/4", ["chat-0131"]), row("7/8", ["chat-mini", "chat-mini-0131", "chat-1-0131", "chat-3201"])];
    const theirs = { ...row("7/8", ["chat-0131"]), vendor: "openai" as const };
    expect(snapshotsDiffer(chat, chat, [chat, ...others, theirs])).toBe(false);
  });
});
