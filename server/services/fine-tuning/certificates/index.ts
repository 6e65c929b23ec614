import "server-only";

export { certifyCheckpoint } from "./certify-checkpoint";
export { ensureParity, type Parity } from "./ensure-parity";
export { getCertificate, listCertificates } from "./list-certificates";
export { runCertificate, wakeCertificates } from "./run-certificate";
