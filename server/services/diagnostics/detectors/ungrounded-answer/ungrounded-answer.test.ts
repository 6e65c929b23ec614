import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "../../../../../bench/labelled/conversation";
import type { ConversationSnapshot } from "../../types";
import { contradictsToolResult } from "./contradicts-tool-result";
import { unsupportedClaim } from "./unsupported-claim";

const matches = (conversation: ConversationSnapshot) =>
  contradictsToolResult.detect(conversation, { keywords: [] }).filter(({ verdict }) => verdict === "match");
const answered = (result: unknown, said: string, question = "Tell me about my order.") =>
  conversationOf(user(question), ...called("get_order", { id: 7 }, JSON.stringify(result)), assistant(said));

const ORDER = {
  order_id: "W4398027",
  status: "shipped",
  refundable: false,
  order_date: "2025-03-14",
  total: 129.5,
  size_kb: 2048,
  trackingNumber: "1Z999AA10123456784",
};

describe("contradicts_tool_result", () => {
  test.each([
    ["a status", "Your order's details:\n- **Status**: Delivered"],
    ["a status in a sentence", "I looked it up. The status is pending."],
    ["a yes or no", "- Refundable: Yes, within 30 days"],
    ["a date", "- Order date: March 24, 2025"],
    ["a number", "- Total: $219.50"],
    ["an id", "- Order ID: W4398072"],
    ["an id under a camel-case key", "Tracking number: 1Z999AA10123456748"],
    ["a table's row", "| Status | Cancelled |"],
  ])("detects %s that the tool did not return", (_, said) => {
    const [found] = matches(answered(ORDER, said));
    expect(found).toMatchObject({ evidence: [{ messageIndex: 3 }, { messageIndex: 2 }] });
  });

  test("names the field and the tool in its title", () => {
    const [found] = matches(answered(ORDER, "- Status: Delivered"));
    expect(found!.title).toBe("An answer states a different `status` than `get_order` returned");
    expect(found!.cause).toBe("get_order: status: another status");
  });

  test("quotes the statement from its beginning", () => {
    const said = "- Item: Moss down sleeping bag\n- Status: Delivered\n- Total: $129.50";
    const [found] = matches(answered(ORDER, said));
    expect(found!.evidence[0]!.quote).toBe("- Status: Delivered");
    expect(found!.summary).toContain("the assistant said “- Status: Delivered”");
  });

  test.each([
    ["the tool's value", "- Status: Shipped\n- Total: $129.50\n- Refundable: No\n- Order date: March 14, 2025"],
    ["the same status in other words", "- Status: In transit"],
    ["a status that is no known one", "- Status: With the courier"],
    ["a rounded number", "- Total: about $130"],
    ["a number's other format", "- Total: 129,50 €"],
    ["another unit", "- Size kb: 2 MB"],
    ["a subunit", "- Total: 12950 cents"],
    ["a date in another time zone", "- Order date: March 13, 2025"],
    ["a date without its year", "- Order date: March 24"],
    ["a masked or prefixed id", "- Order ID: #W4398027\n- Tracking number: …6784"],
    ["a multiple", "- Total: $259.00"],
    ["a proposal", "After the change, the new order has:\n- Total: $99.00"],
    ["both values, compared", "- Status: Delivered? No: it is shipped."],
    ["code", "```\nStatus: Delivered\n```"],
    ["another name", "- Payment status: Pending"],
  ])("does not match %s", (_, said) => expect(matches(answered(ORDER, said))).toEqual([]));

  test("does not match a value that the user mentioned", () => {
    const said = "- Order ID: W4398072";
    expect(matches(answered(ORDER, said, "What about order W4398072?"))).toEqual([]);
  });

  test("does not match a value that a later call changed or that one of several results has", () => {
    const get = called("get_order", { id: 7 }, JSON.stringify(ORDER));
    const cancel = called("cancel_order", { id: 7 }, "ok");
    expect(matches(conversationOf(user("Cancel it."), ...get, ...cancel, assistant("- Status: Cancelled")))).toEqual(
      [],
    );
    const other = called("get_order", { id: 8 }, JSON.stringify({ ...ORDER, status: "delivered" }));
    expect(matches(conversationOf(user("Both?"), ...get, ...other, assistant("- Status: Delivered")))).toEqual([]);
  });
});

describe("unsupported_claim", () => {
  const found = (said: string, result: unknown = ORDER) =>
    unsupportedClaim.detect(answered(result, said), { keywords: [] });

  test("an amount, link or address without a source is ambiguous", () => {
    expect(found("You get $45.20 back; see https://example.com/refunds or write to help@example.com.")).toMatchObject([
      {
        verdict: "ambiguous",
        evidence: [{ quote: "$45.20" }, { quote: "https://example.com/refunds" }, { quote: "help@example.com" }],
      },
    ]);
  });
  test("assumed data takes precedence as the cause", () => {
    expect(found("Let's assume the population is known.\nTotal: $1,234.00")).toMatchObject([
      { cause: "the answer rests on assumed data", verdict: "ambiguous" },
    ]);
  });
  test("does not match values of a tool's result in another format", () => {
    expect(found("Order W4398027 costs $129.50, tracked as 1Z999AA10123456784.")).toEqual([]);
    expect(found("It costs $1,299.00.", { total: 1299 })).toEqual([]);
  });
  test("does not match a conversation without tools", () => {
    const chat = conversationOf(user("What does it cost?"), assistant("It costs $45.20."));
    expect(unsupportedClaim.detect(chat, { keywords: [] })).toEqual([]);
  });
});
