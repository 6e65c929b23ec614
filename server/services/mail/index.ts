import "server-only";

export { composeEmail, dayOf } from "./compose-email";
export { mailEnabled, queueMail } from "./queue-mail";
export { sendMail } from "./send-mail";
export { sweepMail } from "./sweep-mail";
export { unsentMail } from "./unsent-mail";
