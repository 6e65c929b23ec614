import "server-only";

export { certifyCheckpoint } from "./certify-checkpoint";
export { getCertificate, listCertificates } from "./list-certificates";
export { runCertificate, wakeCertificates } from "./run-certificate";
