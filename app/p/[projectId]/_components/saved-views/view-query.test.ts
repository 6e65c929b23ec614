import { expect, test } from "vitest";
import { PARAMETERS, type SavedViewList } from "@/server/services/saved-views/schemas";
import { viewParsers as audit } from "../../audit/_components/view";
import { savedParsers as backfills } from "../../backfills/_components/view";
import { viewParsers as charts } from "../../charts/_components/view";
import { viewParsers as conversations } from "../../conversations/_components/view";
import { viewParsers as findings } from "../../findings/_components/view";
import { viewParsers as jobs } from "../../jobs/_components/view";
import { viewParsers as ruleRuns } from "../../rule-runs/_components/view";
import { currentForm, queryOf, stateOf, type ViewParsers } from "./view-query";

test("a saved view can store every parameter of its list's page except the open row", () => {
  const pages: Record<SavedViewList, ViewParsers> = {
    conversations,
    findings,
    "rule-runs": ruleRuns,
    backfills,
    jobs,
    audit,
    charts,
  };
  for (const [list, { peek: _, ...parsers }] of Object.entries(pages)) {
    expect(Object.keys(PARAMETERS[list as SavedViewList]).sort(), list).toEqual(Object.keys(parsers).sort());
  }
});

test("the same state gives the same query, regardless of parameter order and defaults", () => {
  const query = "errors=true&hide=tokens&q=refund&sort=-cost";
  expect(currentForm(conversations, "?sort=-cost&q=refund&hide=tokens&errors=true")).toBe(query);
  expect(queryOf(conversations, { ...stateOf(conversations, query), peek: "conv_1" })).toBe(query);
  expect(currentForm(conversations, "model=b&label=x&model=a")).toBe("label=x&model=a&model=b");
  expect(currentForm(conversations, "model=a%2Cb")).toBe("model=a%2Cb");
  expect(currentForm(findings, "tab=review&order=score")).toBe("");
});

test("unknown and invalid parameters are left out", () => {
  expect(currentForm(conversations, "q=refund&gone=1&from=soon&range=3y")).toBe("q=refund");
});
