import "server-only";

export { dayOf, letter } from "./letter";
export { mailIsOn, queueMail } from "./queue-mail";
export { sendMail } from "./send-mail";
export { sweepMail } from "./sweep-mail";
export { unsentMail } from "./unsent-mail";
