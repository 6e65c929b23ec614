import { randomBytes } from "node:crypto";
import { ServiceError } from "../errors";
import { seal, unseal } from "../seal";
import { type RingKey, unwrapRingKey } from "./ring-key";

const KEY_BYTES = 32;

/** Where a secret belongs. Its envelope opens nowhere else: not in another project, row or field. */
export type SecretLocation = { projectId: string; id: string /** `<table>.<field>` */; field: string };

/** A secret as it is stored: under a data key of its own, which is wrapped under the ring key named `ringKey`. */
export type Envelope = { sealed: string; dataKey: string; ringKey: string };

const ofSecret = ({ field, projectId, id }: SecretLocation) => JSON.stringify(["secret", field, projectId, id]);
const ofDataKey = (ringKey: string, { field, projectId, id }: SecretLocation) =>
  JSON.stringify(["data-key", ringKey, field, projectId, id]);

const cannotBeOpened = () =>
  new ServiceError(
    "unprocessable",
    "The stored secret cannot be opened with this installation's secret. Enter it again.",
  );

function opening<T>(ring: RingKey, work: (key: Buffer) => T): T {
  const key = unwrapRingKey(ring);
  if (!key) throw cannotBeOpened();
  try {
    return work(key);
  } catch {
    throw cannotBeOpened();
  }
}

/** Seals a secret for its place under a ring key that has been unwrapped. */
export function sealUnder(
  place: SecretLocation,
  secret: string,
  { id: ringKey, key }: { id: string; key: Buffer },
): Envelope {
  const dataKey = randomBytes(KEY_BYTES);
  return {
    sealed: seal(dataKey, secret, ofSecret(place)),
    dataKey: seal(key, dataKey.toString("base64"), ofDataKey(ringKey, place)),
    ringKey,
  };
}

/**
 * Opens a secret. `wrapped` is its ring key's, read in the same statement as the envelope: a rotation may rewrap the row
 * and retire the key between two.
 */
export const unsealSecret = (
  place: SecretLocation,
  { sealed, dataKey, ringKey, wrapped }: Envelope & { wrapped: string },
): string =>
  opening({ id: ringKey, wrapped }, (key) => {
    const opened = Buffer.from(unseal(key, dataKey, ofDataKey(ringKey, place)), "base64");
    return unseal(opened, sealed, ofSecret(place));
  });

/** Returns the same data key under another ring key; what it seals stays as it is. */
export const rewrap = (
  place: SecretLocation,
  from: RingKey & { dataKey: string },
  to: { id: string; key: Buffer },
): Pick<Envelope, "dataKey" | "ringKey"> =>
  opening(from, (key) => ({
    dataKey: seal(to.key, unseal(key, from.dataKey, ofDataKey(from.id, place)), ofDataKey(to.id, place)),
    ringKey: to.id,
  }));
