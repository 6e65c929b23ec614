import { addConversationsToDatasets, correctAnswer, previewConversations } from "@/server/services/collection";
import {
  batchExamples,
  checkDataset,
  cleanSplit,
  createDataset,
  createExample,
  deleteDataset,
  deleteExample,
  diffVersions,
  exampleFacets,
  getDataset,
  getExample,
  getVersion,
  listDatasets,
  listExamples,
  listVersions,
  restoreVersion,
  updateDataset,
  updateExample,
} from "@/server/services/datasets";
import { get, patch, post, project, remove, under } from "./row";

const datasets = `${project}/datasets`;
const dataset = `${datasets}/:datasetId`;
const examples = `${dataset}/examples`;
const example = `${examples}/:exampleId`;

export const DATASETS = {
  datasets: under("Datasets", {
    list: get(datasets, listDatasets),
    create: post(datasets, createDataset, 201),
    get: get(dataset, getDataset),
    update: patch(dataset, updateDataset),
    delete: remove(dataset, deleteDataset),
    check: get(`${dataset}/check`, checkDataset),
    cleanSplit: post(`${dataset}/clean-split`, cleanSplit),
  }),
  examples: {
    ...under("Examples", {
      facets: get(`${dataset}/facets`, exampleFacets),
      list: get(examples, listExamples),
      create: post(examples, createExample, 201),
      batch: post(`${examples}/batch`, batchExamples),
      get: get(example, getExample),
      update: patch(example, updateExample),
      delete: remove(example, deleteExample),
    }),
    ...under("Collection and review", {
      addConversations: post(`${project}/conversation-examples`, addConversationsToDatasets),
      previewConversations: post(`${project}/conversation-examples/preview`, previewConversations),
      correctAnswer: post(`${dataset}/corrections`, correctAnswer),
    }),
  },
  datasetVersions: under("Dataset versions", {
    list: get(`${dataset}/versions`, listVersions),
    get: get(`${dataset}/versions/:version`, getVersion),
    diff: get(`${dataset}/diff`, diffVersions),
    restore: post(`${dataset}/restore`, restoreVersion, 201),
  }),
};
