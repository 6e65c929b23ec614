import { describe, expect, test } from "vitest";
import { DEFAULT_MODELS } from "../catalogue/default-prices";
import { bookWith, projectPrice, tier } from "../testing";
import { createPriceBook, type ProjectPrice } from "./resolve-price";

const found = (model: string, provider: string | null = null, book = bookWith()) =>
  book.resolve(model, provider)?.definition.id ?? null;

describe("a default price", () => {
  test.each([
    ["gpt-4o-2024-11-20", "openai:gpt-4o"],
    ["gpt-4o-2024-05-13", "openai:gpt-4o-2024-05-13"],
    ["gpt-4.1-mini-2026-02-03", "openai:gpt-4.1-mini"],
    ["gpt-35-turbo-16k", "openai:gpt-3.5-turbo-16k"],
    ["computer-use-preview-2025-03-11", "openai:computer-use"],
    ["claude-3-5-sonnet-v2@20241022", "anthropic:claude-3-5-sonnet"],
    ["anthropic/claude-4.5-sonnet-20250929", "anthropic:claude-sonnet-4-5"],
    ["anthropic.claude-v2:1", "anthropic:claude-2"],
    ["gemini-2.0-flash-001", "google:gemini-2.0-flash"],
    ["gemini-2.0-flash-thinking-exp-01-21", "google:gemini-2.0-flash"],
    ["gemini-2.5-flash-preview-09-2025", "google:gemini-2.5-flash"],
    ["gemini-1.5-flash-8b-001", "google:gemini-flash-1.5-8b"],
    ["grok-4-0709", "xai:grok-4-0709"],
    ["x-ai/grok-4.3-20260801", "xai:grok-4.3"],
    ["deepseek-ai/deepseek-r1", "deepseek:deepseek-reasoner"],
    ["gpt-4o-20240513", "openai:gpt-4o-2024-05-13"],
    ["gpt-4o-20241120", "openai:gpt-4o"],
    ["mistral/open-mixtral-8x22b", "mistral:mixtral-8x22b-instruct"],
    ["open-mixtral-8x22b-2404", "mistral:mixtral-8x22b-instruct"],
    ["mistralai/Mixtral-8x22B-Instruct-v0.1", "mistral:mixtral-8x22b-instruct"],
    ["Mixtral-8x7B-v0.1", "mistral:mixtral-8x7b"],
    ["openrouter/mistralai/Mixtral-8x7B-Instruct-v0.1", "mistral:mixtral-8x7b"],
    ["mistralai/Mistral-7B-Instruct-v0.3", "mistral:mistral-7b"],
    ["mistralai/Mistral-Nemo-Instruct-2407", "mistral:mistral-nemo"],
    ["gemma-3n-e4b-it", "google:gemma-3n"],
    ["google/gemma-3n-E4B-it", "google:gemma-3n"],
    ["models/gemma-3n-e4b-it", "google:gemma-3n"],
    ["gemini/gemma-3n-e4b-it", "google:gemma-3n"],
    ["mistral/mistral-large-2411", "mistral:mistral-large"],
    ["z-ai/glm-4.7", "zai:GLM-4.7"],
    ["MiniMax-M2.1", "minimax:MiniMax-M2"],
    ["cohere/command-r-plus-08-2024", "cohere:command-r-plus"],
    ["gpt-4o-mini-2024-07-18.ft-0123abcd", "openai:gpt-4o-mini-2024-07-18.ft"],
    ["ft:gpt-3.5-turbo-0125:acme:support:9abc", "openai:ft:gpt-3.5-turbo"],
  ])("matches %s", (model, id) => expect(found(model)).toBe(id));

  test.each([
    [
      "a sibling that nobody knows",
      ["claude-opus-4-10", "gemini-2.5-prototype", "gpt-5.4-ultra", "grok-4-heavy", "gpt-4o-2024"],
    ],
    ["a distillate", ["deepseek-r1-distill-llama-70b", "deepseek/deepseek-r1-distill-qwen-32b"]],
    [
      "a snapshot that nobody lists, of a model whose snapshots differ in price",
      [
        ...["deepseek-chat-v3-0324", "deepseek/deepseek-chat-v3-0324", "openrouter/deepseek/deepseek-chat-v3-0324"],
        ...["deepseek-chat-0324", "deepseek-ai/deepseek-r1-0528", "deepseek-reasoner-20250528", "deepseek-chat-v3.1"],
        ...["gpt-4o-2025-03-01", "azure/gpt-4o-20250301", "gpt-3.5-turbo-2024-01-25", "kimi-k2-20251106"],
        ...["gemini-2.5-flash-preview-05-20-0601"],
      ],
    ],
    [
      "open weights under a name whose price is another's",
      [
        ...["gemma-3n-e2b-it", "gemma-3-27b-it", "gemma-3n-e4b-it:free", "together_ai/google/gemma-3n-E4B-it"],
        ...["google.gemma-3-27b-it", "mixtral-8x7b-32768", "groq/mixtral-8x7b-32768", "dolphin-mixtral-8x22b"],
        ...["mistral.mistral-7b-instruct-v0:2", "mistralai/Codestral-22B-v0.1", "Mixtral-8x7B-v0.2"],
      ],
    ],
    ["a release whose date means another price", ["command-r-03-2024", "mistral-small-2402", "codestral-2405"]],
    [
      "a fine-tune of a model that has no fine-tuned price",
      ["ft:gpt-4.1-turbo:acme::1", "ft:gpt-4-0613:acme::1", "gpt-4o-2024-08-06.ft-1"],
    ],
    ["a free offer", ["deepseek/deepseek-chat:free", "mistralai/mistral-nemo:free"]],
    ["a prefix or a part of a name", ["my-gpt-4o", "gpt-4o-x", "gpt", "claude", "missing/gpt-4o"]],
    ["nothing", ["", "  ", "gpt-4o".repeat(1_000)]],
  ])("does not match %s", (_, models) => {
    for (const model of models) expect(found(model), model).toBeNull();
  });

  test("is limited to the provider's vendor, unless the provider is a reseller", () => {
    expect(found("claude-sonnet-4-5", "anthropic")).toBe("anthropic:claude-sonnet-4-5");
    expect(found("claude-sonnet-4-5", "openai")).toBeNull();
    for (const provider of ["google-vertex", "aws.bedrock", "litellm", "strands-agents", "azure", "openrouter", ""]) {
      expect(found("claude-sonnet-4-5", provider), provider).toBe("anthropic:claude-sonnet-4-5");
    }
  });

  test("does not apply to an unknown provider, whatever the model name", () => {
    for (const provider of ["external", "acme", "no such provider", "my-azure", "x".repeat(1_000)]) {
      for (const name of ["gpt-4o", "openai/gpt-4o", "openrouter/openai/gpt-4o", "models/gemini-2.5-pro"]) {
        expect(found(name, provider), `${provider} ${name}`).toBeNull();
      }
    }
  });

  test("prefers the vendor in the model name to the provider, because OpenAI's client is also used with routers", () => {
    expect(found("anthropic/claude-opus-4.5", "openai")).toBe("anthropic:claude-opus-4-5");
  });

  test("does not apply at a host with its own prices", () => {
    expect(found("openai/gpt-oss-20b", "groq")).toBeNull();
    expect(found("ollama/deepseek-r1")).toBeNull();
    expect(found("openai/gpt-oss-20b", "openrouter")).toBe("openai:gpt-oss-20b");
  });

  test("is the one effective when the call was made", () => {
    const input = (at?: number) =>
      bookWith().resolve("o3", "openai", at)!.definition.pricingTiers[0]!.prices.input_tokens;
    expect(input(Date.UTC(2025, 5, 9, 23, 59))).toBe(1e-5);
    expect(input(Date.UTC(2025, 5, 10))).toBe(2e-6);
    expect(input()).toBe(2e-6);
    expect(input(0)).toBe(1e-5);
  });
});

describe("a project's definition", () => {
  test("takes precedence over any default, even a pattern over an exact name", () => {
    const book = bookWith(projectPrice({ modelName: "all of openai", matchPattern: "^gpt-", provider: "openai" }));
    expect(found("gpt-4o", "openai", book)).toBe("mp_all of openai");
    expect(found("azure/gpt-4o", null, book)).toBe("mp_all of openai");
    expect(found("claude-opus-4", null, book)).toBe("anthropic:claude-opus-4");
  });

  test("matches by exact name before pattern, and by the more specific pattern first", () => {
    const book = bookWith(
      projectPrice({ modelName: "a", matchPattern: "^acme-" }),
      projectPrice({ modelName: "b", matchPattern: "^acme-large" }),
      projectPrice({ modelName: "Acme-Large", matchPattern: "^nothing$" }),
    );
    expect(found("acme-large", null, book)).toBe("mp_Acme-Large");
    expect(found("acme-large-2", null, book)).toBe("mp_b");
    expect(found("acme-small", null, book)).toBe("mp_a");
  });

  test("with equal patterns is the requested vendor's, then the one with the smaller id", () => {
    const book = bookWith(
      projectPrice({ modelName: "z", matchPattern: "^acme$", provider: "mistral" }),
      projectPrice({ modelName: "y", matchPattern: "^acme$" }),
      projectPrice({ modelName: "x", matchPattern: "^acme$", provider: "openai" }),
    );
    expect(found("acme", null, book)).toBe("mp_x");
    expect(found("acme", "mistral", book)).toBe("mp_z");
    expect(found("acme", "anthropic", book)).toBe("mp_y");
  });

  test("of `external` applies to every provider, and one of another vendor does not", () => {
    const book = bookWith(
      projectPrice({ modelName: "acme-4" }),
      projectPrice({ modelName: "gpt-acme", provider: "openai" }),
    );
    for (const provider of ["acme", "openai", "groq", "external", null]) {
      expect(found("acme-4", provider, book)).toBe("mp_acme-4");
    }
    expect(found("gpt-acme", "anthropic", book)).toBeNull();
    for (const provider of ["external", "acme"]) expect(found("gpt-acme", provider, book)).toBeNull();
    for (const provider of ["openai", "azure", "groq", null]) {
      expect(found("gpt-acme", provider, book)).toBe("mp_gpt-acme");
    }
  });

  test("of `external` with a default's name applies unless the provider names the vendor", () => {
    const book = bookWith(projectPrice({ modelName: "gpt-4o" }));
    for (const provider of ["openai", "OpenAI", "openai.responses"]) {
      expect(found("gpt-4o", provider, book)).toBe("openai:gpt-4o");
    }
    for (const provider of [null, "acme", "azure", "groq"]) expect(found("gpt-4o", provider, book)).toBe("mp_gpt-4o");
    const own = bookWith(
      projectPrice({ modelName: "gpt-4o" }),
      projectPrice({ modelName: "4o", provider: "openai", matchPattern: "^gpt-4o$" }),
    );
    expect(found("gpt-4o", "openai", own)).toBe("mp_4o");
  });

  test("with an invalid pattern still matches its name", () => {
    const book = bookWith(projectPrice({ modelName: "acme-4", matchPattern: "(?=acme)" }));
    expect(found("ACME-4", null, book)).toBe("mp_acme-4");
    expect(found("acme-5", null, book)).toBeNull();
  });

  test("with the names of a default replaces exactly that default", { timeout: 60_000 }, () => {
    const everyOverride = DEFAULT_MODELS.map(({ timeline }) => ({
      definition: { ...timeline[0]!.definition, source: "project_override" as const },
      version: 1,
    }));
    const names = DEFAULT_MODELS.flatMap(({ aliases, timeline: [first] }) => {
      const { modelName } = first!.definition;
      return [modelName, ...aliases, `${modelName}-2026-02-03`, `azure/${modelName}`];
    });
    const [before, after] = [bookWith(), bookWith(...everyOverride)];
    const moved = names.filter((name) => found(name, null, after) !== found(name, null, before));
    expect(moved).toEqual([]);
    expect(names.filter((name) => found(name, "external", after) !== null)).toEqual([]);
  });

  test("with the names of a default does not take over another default that its pattern also matches", () => {
    const models = [
      ["acme-4", "^acme-4(?:-\\d{4})?$"],
      ["acme-4-0513", "^acme-4-0513$"],
    ].map(([modelName = "", matchPattern = ""]) => {
      const { definition } = projectPrice({ id: `openai:${modelName}`, modelName, matchPattern, provider: "openai" });
      return {
        aliases: [],
        timeline: [{ effectiveFrom: 0, definition: { ...definition, source: "default" as const } }],
      };
    });
    const names = { provider: "openai", modelName: "acme-4" } as const;
    const bookOf = (own: ProjectPrice) => createPriceBook(models, [own], "default@1");
    const override = { ...names, id: "openai:acme-4", source: "project_override" } as const;
    const narrow = bookOf(projectPrice({ ...override, matchPattern: "^acme-4(?:-\\d{4})?$" }));
    expect(found("acme-4-0806", null, narrow)).toBe("openai:acme-4");
    expect(found("acme-4-0513", null, narrow)).toBe("openai:acme-4-0513");
    const custom = bookOf(projectPrice({ ...names, id: "mp_1", matchPattern: "^acme-4(?:-\\d{4})?$" }));
    expect(found("acme-4-0806", null, custom)).toBe("mp_1");
    expect(found("acme-4-0513", null, custom)).toBe("openai:acme-4-0513");
    const widened = bookOf(projectPrice({ ...override, matchPattern: "^acme-4" }));
    expect(found("acme-4-0513", null, widened)).toBe("openai:acme-4");
  });

  test("that overrides a default replaces it entirely, under its id", () => {
    const override = projectPrice({
      id: "openai:gpt-4o",
      modelName: "gpt-4o",
      provider: "openai",
      source: "project_override",
      resettable: true,
      pricingTiers: [tier({ input_tokens: 1 })],
    });
    const book = bookWith(override);
    expect(book.resolve("gpt-4o", null)?.definition).toBe(override.definition);
    expect(found("gpt-4o-2024-11-20", null, book), "the default's pattern is gone with it").toBeNull();
    expect(book.listed().models.filter(({ id }) => id === "openai:gpt-4o")).toEqual([override.definition]);
    expect(found("gpt-4o-2024-11-20")).toBe("openai:gpt-4o");
  });

  test("also matches characters that RE2 folds to the same letter", () => {
    const book = bookWith(projectPrice({ modelName: "x", matchPattern: "^mistral-k$" }));
    for (const name of ["Mistral-K", "mi\u017ftral-k", "mistral-\u212a"])
      expect(found(name, null, book), name).toBe("mp_x");
  });

  test("is found among hundreds of other definitions", () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      projectPrice({ modelName: `m-${n}`, matchPattern: `^(?:m|n)-${n}(?:-v\\d)?$` }),
    );
    const book = bookWith(...many);
    for (let n = 0; n < 300; n += 7) expect(found(`n-${n}-v2`, null, book)).toBe(`mp_m-${n}`);
    expect(found("n-300", null, book)).toBeNull();
  });
});

test("the list has every default and custom definition once, by id", () => {
  const listed = bookWith(projectPrice({ modelName: "acme-4" })).listed().models;
  expect(listed.length).toBe(DEFAULT_MODELS.length + 1);
  expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort());
});

test("a hostile name or provider matches no price", () => {
  const book = bookWith(projectPrice({ modelName: "acme-4", matchPattern: "^(a+)+$" }));
  for (const text of ["a".repeat(1_000_000), `${"azure/".repeat(80)}x`, "us.".repeat(100), "\u0000", "__proto__"]) {
    expect(book.resolve(text, text)).toBeNull();
  }
});
