import { expect, test } from "vitest";
import { createExportInput } from "@/server/services/model-exports/schemas";
import { EMPTY_EXPORT, exportedForm, exportProblems, exportRequest, isExportReady } from "./export-form";

const form = { ...EMPTY_EXPORT, checkpointId: "ckpt_1", connectionId: "conn_1", repoId: " acme/support-7b " };

test("only GGUF exports have a quantization, and adapters are published as they are", () => {
  expect(exportRequest(form)).toMatchObject({ format: "gguf", quantization: "q4_k_m" });
  expect(exportRequest({ ...form, format: "merged-16bit" })).not.toHaveProperty("quantization");
  expect(exportedForm({ ...form, format: "merged-16bit" })).toEqual({ kind: "merged-16bit", quantization: null });
  expect(exportedForm({ ...form, format: "lora-adapter" })).toBeNull();
});

test("a hub model is sent without a Checkpoint and never forced", () => {
  const hub = { ...form, source: "hub", hubModel: "Qwen/Qwen3-0.6B", revision: " ", force: true } as const;
  expect(exportRequest(hub)).toMatchObject({ hubModel: { id: "Qwen/Qwen3-0.6B" }, force: false });
  expect(exportRequest(hub)).not.toHaveProperty("checkpointId");
});

test("invalid and incomplete exports cannot be sent", () => {
  expect(isExportReady(form)).toBe(true);
  expect([...exportProblems({ ...form, repoId: "support" }).keys()]).toEqual(["destination.repoId"]);
  expect(isExportReady({ ...form, connectionId: "" })).toBe(false);
  expect(isExportReady({ ...form, force: true, typed: "acme" })).toBe(false);
  expect(isExportReady({ ...form, force: true, typed: "acme/support-7b" })).toBe(true);
});

test("only a checkpoint's GGUF export has a pre-tokenizer, and none where it is empty", () => {
  const named = { ...form, tokenizerPre: " qwen2 " };
  expect(exportRequest(named)).toMatchObject({ tokenizerPre: "qwen2" });
  for (const without of [form, { ...named, format: "merged-16bit" as const }, { ...named, source: "hub" as const }])
    expect(exportRequest(without)).not.toHaveProperty("tokenizerPre");
  expect([...exportProblems({ ...named, tokenizerPre: "../qwen2" }).keys()]).toEqual(["tokenizerPre"]);
  const given = { ...exportRequest(named), format: "merged-16bit", quantization: undefined };
  expect(createExportInput.safeParse(given).error?.issues.map(({ path }) => path)).toEqual([["tokenizerPre"]]);
});
