import type { Certificate } from "@/server/services/proof/certificates/schemas";
import type { BuiltForm } from "../backends";

/** Returns the newest finished comparison of a form with its figures; `undefined` if there is none. */
export function comparisonOf(certificates: readonly Certificate[], built: BuiltForm | null) {
  if (built === null) return undefined;
  for (const certificate of certificates) {
    const subject = certificate.subjects?.find(
      ({ kind, quantization }) => kind === built.kind && quantization === built.quantization,
    );
    if (certificate.status === "ready" && subject) return { certificate, subject };
  }
  return undefined;
}
