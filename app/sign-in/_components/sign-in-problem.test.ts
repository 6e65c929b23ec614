import { expect, test } from "vitest";
import { REFUSALS } from "@/server/services/single-sign-on/schemas";
import { signInProblem } from "./sign-in-problem";

test("each sign-in failure has a message, and an unknown code is not echoed", () => {
  expect(signInProblem(undefined, "Acme")).toBeNull();
  const words = [...REFUSALS, "OAuthSignin", "OAuthCallback", "Callback", "Unavailable"];
  for (const word of words) expect(signInProblem(word, "Acme"), word).toMatch(/^[A-Z].{30,}\.$/);
  for (const word of ["", "<script>", "constructor", "CredentialsSignin"])
    expect(signInProblem(word, "Acme")).toBe("You were not signed in. Try again.");
});
