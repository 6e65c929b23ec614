import { expect, test } from "vitest";
import { ticketOfRef } from "./tracker-words";

test("a ticket is shown by the key that its tracker uses", () => {
  expect(ticketOfRef("github:acme/shop#12")).toEqual({ tracker: "GitHub", key: "acme/shop#12" });
  expect(ticketOfRef("gitlab:acme/web/shop#3")).toEqual({ tracker: "GitLab", key: "acme/web/shop#3" });
  expect(ticketOfRef("linear:ENG#12")).toEqual({ tracker: "Linear", key: "ENG-12" });
  expect(ticketOfRef("jira:OPS#7")).toEqual({ tracker: "Jira", key: "OPS-7" });
});
