import { expect, test } from "vitest";
import { toolDefinitionsOf } from "./tool-definitions";

const PARAMETERS = { type: "object", properties: { city: { type: "string" } } };
const FLAT = { name: "get_weather", description: "Returns the weather.", parameters: PARAMETERS };
const NESTED = { type: "function", function: FLAT };

test("the tools of a request are read from each instrumentation's attributes", () => {
  const { parameters, ...named } = FLAT;
  for (const attributes of [
    { "gen_ai.tool.definitions": JSON.stringify([NESTED]) },
    { "gen_ai.tool.definitions": JSON.stringify([{ type: "function", ...FLAT }]) },
    { "ai.prompt.tools": [JSON.stringify({ type: "function", ...FLAT })] },
    { "ai.prompt.tools": [JSON.stringify({ type: "function", ...named, inputSchema: parameters })] },
    { "llm.tools.0.tool.json_schema": JSON.stringify(NESTED) },
    { "llm.tools.0.tool.json_schema": JSON.stringify({ ...named, input_schema: parameters }) },
    {
      "llm.request.functions.0.name": "get_weather",
      "llm.request.functions.0.description": "Returns the weather.",
      "llm.request.functions.0.parameters": JSON.stringify(PARAMETERS),
    },
  ])
    expect(toolDefinitionsOf(attributes)).toEqual([NESTED]);
});

test("what is no definition is left out", () => {
  expect(toolDefinitionsOf({})).toEqual([]);
  expect(toolDefinitionsOf({ "gen_ai.tool.definitions": "not JSON" })).toEqual([]);
  expect(toolDefinitionsOf({ "gen_ai.tool.definitions": JSON.stringify([{}, 1, null, NESTED]) })).toEqual([NESTED]);
});
