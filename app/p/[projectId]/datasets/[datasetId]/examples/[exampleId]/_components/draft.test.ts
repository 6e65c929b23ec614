import { expect, test } from "vitest";
import {
  asForm,
  asText,
  type Draft,
  differingParts,
  draftOf,
  exampleOf,
  faultsOf,
  isChanged,
  problemsAt,
} from "./draft";

const start = draftOf(null);
const said = (content: string): Draft => ({
  ...start,
  form: { ...start.form, messages: start.form.messages.map((message) => ({ ...message, content })) },
});

test("a draft is unchanged until something that is sent differs", () => {
  expect(isChanged(start, start)).toBe(false);
  expect(isChanged(asText(start), start)).toBe(false);
  expect(isChanged(said("Hi"), start)).toBe(true);
  expect(isChanged({ ...start, tags: ["a"] }, start)).toBe(true);
  expect(isChanged({ ...start, split: "test" }, start)).toBe(true);
  expect(isChanged({ ...start, text: "{" }, start)).toBe(true);
});

test("the differences between two drafts are named in words", () => {
  expect(differingParts(start, asText(start))).toEqual([]);
  expect(differingParts({ ...said("Hi"), tags: ["a"] }, start)).toEqual(["messages and answers", "tags"]);
  expect(differingParts({ ...start, split: "test" }, start)).toEqual(["split"]);
});

test("a draft without a split leaves it to the server", () => {
  expect(exampleOf(start)).not.toHaveProperty("split");
  expect(exampleOf({ ...start, split: "test" }).split).toBe("test");
});

test("JSON text converts back to a form, or has a fault", () => {
  const text = asText(said("Hi"));
  const back = asForm({ ...text, text: text.text!.replace("Hi", "Hello") });
  expect("draft" in back && exampleOf(back.draft).payload).toMatchObject({
    input: { messages: [{ role: "user", content: "Hello" }] },
  });
  expect(asForm({ ...text, text: "{" })).toHaveProperty("fault");
  expect(faultsOf({ ...text, text: "{" })).toHaveProperty([""]);
});

test("problems with JSON text are listed together, each with its pointer", () => {
  const errors = [{ path: "/payload/input/messages/0/content", message: "Must be a non-empty string." }];
  expect(problemsAt(start, errors)).toEqual({ "/input/messages/0/content": "Must be a non-empty string." });
  expect(problemsAt(asText(start), errors)).toEqual({ "": "input/messages/0/content: Must be a non-empty string." });
});
