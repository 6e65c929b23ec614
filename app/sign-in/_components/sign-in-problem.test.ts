import { expect, test } from "vitest";
import { REFUSALS } from "@/server/services/single-sign-on/schemas";
import { signInProblem } from "./sign-in-problem";

test("each way in that ends has its sentence, and a word that we do not know shows nothing of itself", () => {
  expect(signInProblem(undefined, "Acme")).toBeNull();
  const words = [...REFUSALS, "OAuthSignin", "OAuthCallback", "Callback", "Unavailable"];
  for (const word of words) expect(signInProblem(word, "Acme"), word).toMatch(/^[A-Z].{30,}\.$/);
  for (const word of ["", "<script>", "constructor", "CredentialsSignin"])
    expect(signInProblem(word, "Acme")).toBe("You were not signed in. Try again.");
});
