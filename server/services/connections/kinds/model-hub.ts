import { whoami, writeProblems } from "./hub-token";
import { bearer, type Caller, type Kind, tokenNeeded } from "./kind";

/** Asks a hub whom the token belongs to, and returns why the token may not write to the repository. */
export const hubProblems = async (service: Caller, repoId: string | null) =>
  writeProblems(await askedWhoami(service), repoId);

const askedWhoami = (service: Caller) => service.json({ path: "/api/whoami-v2" }, whoami);

export const modelHub: Kind<"model-hub"> = {
  label: "the model hub",
  needsSecret: tokenNeeded,
  sign: bearer,
  addressHint: "Hugging Face's address is https://huggingface.co.",
  probe: async (service, { use }) => {
    const problems = writeProblems(await askedWhoami(service), null);
    return use === "download" ? [] : problems;
  },
};
