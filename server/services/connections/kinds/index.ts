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

/** Returns what is particular to a kind. A connection's settings are those of its kind: the schema of each saw to it. */
export const kindOf = (name: ConnectionKind) => KINDS[name] as Kind;
