import type { ConnectionKind } from "../schemas";
import { github } from "./github";
import { gitlab } from "./gitlab";
import { jira } from "./jira";
import type { Kind } from "./kind";
import { linear } from "./linear";
import { model } from "./model";
import { modelHub } from "./model-hub";
import { webhook } from "./webhook";

const KINDS: { [Name in ConnectionKind]: Kind<Name> } = {
  model,
  webhook,
  github,
  gitlab,
  linear,
  jira,
  "model-hub": modelHub,
};

/** Returns the implementation of a kind. The cast is safe because each kind's schema has validated its settings. */
export const kindOf = (name: ConnectionKind) => KINDS[name] as Kind;
