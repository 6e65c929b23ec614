import { expect, test } from "vitest";
import { fieldsIn, spliceFields } from "./splice-fields";

const spliced = (json: string, values: Record<string, string>) => spliceFields(Buffer.from(json), values).toString();

test("only the value of the field changes, whatever surrounds it", () => {
  const given = '{ "a" : [1.0, {"model":"x"}],\n"model"\t: "conn/gp\\"t" , "ü":"é\\\\"}';
  expect(spliced(given, { model: '"gpt"' })).toBe('{ "a" : [1.0, {"model":"x"}],\n"model"\t: "gpt" , "ü":"é\\\\"}');
});

test("each repetition of a field is replaced, also with an escaped name, so that none reaches the other side", () => {
  expect(spliced('{"model":"a","\\u006dodel":"b"}', { model: '"c"' })).toBe('{"model":"c","\\u006dodel":"c"}');
});

test("a missing field is added in front", () => {
  expect(spliced('{"stream":true}', { stream_options: '{"include_usage":true}' })).toBe(
    '{"stream_options":{"include_usage":true},"stream":true}',
  );
  expect(spliced(" { } ", { a: "1" })).toBe(' {"a":1 } ');
});

test.each([
  ["numbers, literals and empty values", '{"a":-1e5,"b":true,"c":null,"d":{},"e":[],"f":""}'],
  ["strings that look like structure", '{"a":"}{][,:\\\\","b":"\\\\\\"","c":["]"]}'],
  ["nesting", '{"a":{"b":[{"c":"}"}]},"d":[[["]"]]]}'],
  ["spaces", ' \n{\r\n\t"a" :\t1 ,\n "b": [ 1 , 2 ] }\n'],
])("the fields of an object with %s are found", (_, json) => {
  const bytes = Buffer.from(json);
  const found = fieldsIn(bytes).map(({ name, from, to }) => [name, JSON.parse(bytes.toString("utf8", from, to))]);
  expect(Object.fromEntries(found)).toEqual(JSON.parse(json));
});

test("random objects keep their meaning when each of their fields is replaced by itself", () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 100_000);
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const letters = ['"', "\\", "{", "}", "[", "]", ",", ":", " ", "a", "é", "😀", "\n"];
  const text = () => Array.from({ length: random(6) }, () => letters[random(letters.length)]).join("");
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 3 : 5);
    if (kind === 0) return text();
    if (kind === 1) return random(1000) / 7;
    if (kind === 2) return null;
    if (kind === 3) return Array.from({ length: random(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(4) }, () => [text(), value(depth + 1)]));
  };
  for (let n = 0; n < 300; n++) {
    const object = Object.fromEntries(Array.from({ length: random(5) }, () => [text(), value(0)]));
    const bytes = Buffer.from(JSON.stringify(object, null, random(3)));
    const same = Object.fromEntries(
      fieldsIn(bytes).map(({ name, from, to }) => [name, bytes.toString("utf8", from, to)]),
    );
    expect(spliceFields(bytes, same).equals(bytes), `seed ${seed}, object ${n}`).toBe(true);
    expect(JSON.parse(spliceFields(bytes, { added: "1" }).toString()), `seed ${seed}`).toEqual({ ...object, added: 1 });
  }
});
