import { randomBytes } from "node:crypto";
import { ServiceError } from "../errors";
import { seal, unseal } from "../seal";
import { type RingKey, unwrapRingKey } from "./ring-key";

const KEY_BYTES = 32;

/** Where a secret belongs. Bound as associated data, so its envelope opens in no other project, row or field. */
export type SecretLocation = { projectId: string; id: string /** `<table>.<field>` */; field: string };

/** A stored secret: sealed under its own data key, which is wrapped under the ring key `ringKey`. */
export type Envelope = { sealed: string; dataKey: string; ringKey: string };

const secretContext = ({ field, projectId, id }: SecretLocation) => JSON.stringify(["secret", field, projectId, id]);
const dataKeyContext = (ringKey: string, { field, projectId, id }: SecretLocation) =>
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

/** Seals a secret for its location under an unwrapped ring key. */
export function sealUnder(
  location: SecretLocation,
  secret: string,
  { id: ringKey, key }: { id: string; key: Buffer },
): Envelope {
  const dataKey = randomBytes(KEY_BYTES);
  return {
    sealed: seal(dataKey, secret, secretContext(location)),
    dataKey: seal(key, dataKey.toString("base64"), dataKeyContext(ringKey, location)),
    ringKey,
  };
}

/**
 * Unseals a secret; throws `unprocessable` when it cannot. `wrapped` must be read in the same statement as the envelope: a
 * rotation may rewrap the row and retire the key between two statements.
 */
export const unsealSecret = (
  location: SecretLocation,
  { sealed, dataKey, ringKey, wrapped }: Envelope & { wrapped: string },
): string =>
  opening({ id: ringKey, wrapped }, (key) => {
    const opened = Buffer.from(unseal(key, dataKey, dataKeyContext(ringKey, location)), "base64");
    return unseal(opened, sealed, secretContext(location));
  });

/** Returns the data key wrapped under another ring key; the sealed secret is unchanged. */
export const rewrap = (
  location: SecretLocation,
  from: RingKey & { dataKey: string },
  to: { id: string; key: Buffer },
): Pick<Envelope, "dataKey" | "ringKey"> =>
  opening(from, (key) => ({
    dataKey: seal(
      to.key,
      unseal(key, from.dataKey, dataKeyContext(from.id, location)),
      dataKeyContext(to.id, location),
    ),
    ringKey: to.id,
  }));
