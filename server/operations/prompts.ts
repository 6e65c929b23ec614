import {
  createPrompt,
  createPromptVersion,
  deletePrompt,
  getPrompt,
  listLabelEvents,
  listPrompts,
  listPromptVersions,
  moveLabel,
  promptUsage,
  renderPrompt,
} from "@/server/services/prompts";
import { get, post, project, remove, under } from "./row";

const prompts = `${project}/prompts`;

export const PROMPTS = {
  prompts: under("Prompts", {
    list: get(prompts, listPrompts),
    create: post(prompts, createPrompt, 201),
    get: get(`${prompts}/:promptName`, getPrompt),
    delete: remove(`${prompts}/:promptName`, deletePrompt),
    render: post(`${prompts}/:promptName/render`, renderPrompt),
    versions: get(`${prompts}/:promptName/versions`, listPromptVersions),
    createVersion: post(`${prompts}/:promptName/versions`, createPromptVersion, 201),
    moveLabel: post(`${prompts}/:promptName/labels`, moveLabel),
    labelEvents: get(`${prompts}/:promptName/label-events`, listLabelEvents),
    usage: get(`${prompts}/:promptName/usage`, promptUsage),
  }),
};
