import { expect, test } from "vitest";
import { spliceItems, spliceList } from "./splice-items";

const spliced = (list: string, at: number, value: string, inFront: string | null = null) =>
  spliceItems(Buffer.from(list), (item, index) => (index === at ? Buffer.from(value) : item), inFront).toString();

test("only the item changes, whatever surrounds it", () => {
  const list = '[ {"a":[1.0,"]"]} ,"x,y",\n[ ] , 1e2,null ]';
  expect(spliced(list, 9, "")).toBe(list);
  expect(spliced(list, 0, "{}")).toBe(list.replace('{"a":[1.0,"]"]}', "{}"));
  expect(spliced(list, 1, "2")).toBe(list.replace('"x,y"', "2"));
  expect(spliced(list, 4, "true")).toBe(list.replace("null", "true"));
});

test("an item is added in front, also of none", () => {
  expect(spliced("[1, 2]", 9, "", '{"b":0}')).toBe('[{"b":0},1, 2]');
  expect(spliced("[ ]", 9, "", "0")).toBe("[0 ]");
});

test("of a list that a request repeats, the last counts, and takes the place of all", () => {
  const json = Buffer.from('{"m":[1],"n":2,"m":[3, 4]}');
  expect(spliceList(json, "m", (item, at) => (at === 0 ? Buffer.from("5") : item)).toString()).toBe(
    '{"m":[5, 4],"n":2,"m":[5, 4]}',
  );
  expect(spliceList(json, "none", (item) => item)).toBe(json);
});
