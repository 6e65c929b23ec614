import { z } from "zod";
import { CALLED_BEFORE } from "./agents/attachment";
import type { Trainer } from "./schemas";
import { sentence } from "./trainer-problem";
import { isOnline, type TrainerRow } from "./trainer-rows";

/** The version of the trainer's contract that we use, and in which specs are written. */
export const SPEC_VERSION = 2;

const TEXT_MAX = 500;
const LIST_MAX = 200;
const text = z.string().transform((value) => value.slice(0, TEXT_MAX));
const amount = z.number().nonnegative().nullish().catch(null);
const texts = z.array(text).max(LIST_MAX).catch([]);

/**
 * A trainer's description of itself. Fields that are missing or in another form are ignored, because its version may differ.
 */
const capabilitiesShape = z.object({
  trainer_version: text.nullish().catch(null),
  spec_version: z.int().nullish().catch(null),
  boot_id: text.nullish().catch(null),
  methods: texts,
  adapters: texts,
  formats: texts,
  gguf_quantizations: texts,
  compressed_quantizations: texts,
  export_formats: texts,
  serve_backends: texts,
  devices: z
    .array(z.object({ id: z.coerce.string(), name: text, kind: text, memory_total: amount, memory_free: amount }))
    .max(LIST_MAX)
    .catch([]),
  packages: z.record(z.string(), text).catch({}),
  /** What it understands beyond the contract's first form. A trainer of before reports none. */
  features: texts,
  disk_free: amount,
  /** What takes space on its disk, in bytes. */
  disk: z
    .object({
      total: amount,
      base_models: z.array(z.object({ id: text, bytes: z.number().nonnegative() })).catch([]),
    })
    .nullish()
    .catch(null),
  unavailable: z
    .array(z.object({ feature: text, reason: text.transform(sentence), hint: text.nullish().catch(null) }))
    .max(LIST_MAX)
    .catch([]),
});
export type Capabilities = z.infer<typeof capabilitiesShape>;

/**
 * Returns a trainer's capabilities, empty where it reports nothing usable; with another contract version it can do nothing for
 * us.
 */
export function readCapabilities(given: unknown): Capabilities {
  const known = capabilitiesShape.parse(typeof given === "object" && given !== null ? given : {});
  const { spec_version: version } = known;
  if (version == null || version === SPEC_VERSION) return known;
  const reason = `It speaks version ${version} of the trainer's contract, and this Whetstone speaks version ${SPEC_VERSION}.`;
  const hint = `Update ${version > SPEC_VERSION ? "Whetstone" : "the trainer"}, so that both are from the same release.`;
  return {
    ...known,
    methods: [],
    adapters: [],
    formats: [],
    gguf_quantizations: [],
    compressed_quantizations: [],
    unavailable: [{ feature: "training", reason, hint }],
  };
}

/** Converts a trainer to its public form. */
export function trainerJson(row: TrainerRow): Trainer {
  const known = readCapabilities(row.capabilities);
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    online: isOnline(row),
    version: row.version,
    devices: known.devices.map(({ memory_total, memory_free, ...device }) => ({
      ...device,
      memoryTotal: memory_total ?? null,
      memoryFree: memory_free ?? null,
    })),
    supports: {
      methods: known.methods,
      adapters: known.adapters,
      formats: known.formats,
      ggufQuantizations: known.gguf_quantizations,
      compressedQuantizations: known.compressed_quantizations,
      serveBackends: known.serve_backends,
    },
    unavailable: known.unavailable.map(({ hint, ...rest }) => ({ ...rest, hint: hint ?? null })),
    packages: known.packages,
    diskFreeBytes: known.disk_free ?? null,
    diskUsedBytes: known.disk?.total ?? null,
    jobsRunning: row.jobsRunning,
    lastSeenAt: row.lastSeenAt,
    error: row.kind === "url" ? CALLED_BEFORE : row.error,
    keyHint: row.keyHint,
    createdAt: row.createdAt,
  };
}
