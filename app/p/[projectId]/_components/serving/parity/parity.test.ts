import { expect, test } from "vitest";
import type { Certificate } from "@/server/services/proof/certificates/schemas";
import { builtForm } from "../backends";
import { comparisonOf } from "./parity";

test("the newest finished comparison of the same form is used", () => {
  const of = (id: string, quantization: string, status = "ready") =>
    ({ id, status, subjects: [{ kind: "gguf", quantization }] }) as unknown as Certificate;
  const all = [of("cert_4", "q8_0", "running"), of("cert_3", "q4_0"), of("cert_2", "q8_0"), of("cert_1", "q8_0")];
  expect(comparisonOf(all, builtForm("q8_0"))?.certificate.id).toBe("cert_2");
  expect(comparisonOf(all, builtForm("f16"))).toBeUndefined();
  expect(comparisonOf(all, null)).toBeUndefined();
});
