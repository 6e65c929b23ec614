import { expect, test } from "vitest";
import { movedTo, search } from "./search";

const AREAS = [
  {
    name: "Findings",
    slug: "findings",
    operations: [
      {
        id: "listFindings",
        method: "get",
        path: "/projects/{projectId}/findings",
        summary: "List Findings.",
        words: "severity",
      },
      {
        id: "mergeFindings",
        method: "post",
        path: "/projects/{projectId}/findings/merge",
        summary: "Merge.",
        words: "into",
      },
    ],
  },
  {
    name: "Audit log",
    slug: "audit-log",
    operations: [
      { id: "listAudit", method: "get", path: "/projects/{projectId}/audit-log", summary: "List it.", words: "actor" },
    ],
  },
];
const idsOf = (query: string) => search(AREAS, query).flatMap(({ operations }) => operations.map(({ id }) => id));

test("an operation is found by every word of a query, in its path, sentence, area, id or fields", () => {
  expect(idsOf("  ")).toEqual(["listFindings", "mergeFindings", "listAudit"]);
  expect(idsOf("GET list")).toEqual(["listFindings", "listAudit"]);
  expect(idsOf("findings Severity")).toEqual(["listFindings"]);
  expect(idsOf("audit actor")).toEqual(["listAudit"]);
  expect(search(AREAS, "nothing says this")).toEqual([]);
});

test("an anchor of the former single page leads to the page that has it now", () => {
  expect(movedTo(AREAS, "listAudit")).toBe("/docs/audit-log#listAudit");
  expect(movedTo(AREAS, "subject-audit-log")).toBe("/docs/audit-log");
  for (const stays of ["problems", "problem-invalid", "", "subject-none"]) expect(movedTo(AREAS, stays)).toBeNull();
});
