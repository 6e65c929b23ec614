import { CHANNELS } from "./channels";
import { checkToken, type Kind } from "./kind";

export const webhook: Kind<"webhook"> = {
  label: "the webhook",
  needsSecret: ({ format }) => CHANNELS[format].needsSecret,
  checkSecret: (secret, { baseUrl }, { format }) => {
    checkToken(secret);
    if (secret) CHANNELS[format].checkSecret?.(secret, baseUrl);
  },
  sign: (secret, message, { format }) => CHANNELS[format].sign(secret, message),
  addressHint: "Enter the address that the receiver gave you.",
  probe: async (service, { format }, connection) => {
    await service.request({ path: "", method: "POST", json: CHANNELS[format].greeting(connection) });
    return [];
  },
};
