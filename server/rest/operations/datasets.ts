import {
  batchExamples,
  checkDataset,
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
import { about, get, patch, post, project, remove } from "./line";

const datasets = `${project}/datasets`;
const dataset = `${datasets}/:datasetId`;
const examples = `${dataset}/examples`;
const example = `${examples}/:exampleId`;

export const DATASETS = [
  ...about("Datasets", [
    get(datasets, listDatasets),
    post(datasets, createDataset, 201),
    get(dataset, getDataset),
    patch(dataset, updateDataset),
    remove(dataset, deleteDataset),
    get(`${dataset}/facets`, exampleFacets),
    get(`${dataset}/check`, checkDataset),
  ]),
  ...about("Examples", [
    get(examples, listExamples),
    post(examples, createExample, 201),
    post(`${examples}/batch`, batchExamples),
    get(example, getExample),
    patch(example, updateExample),
    remove(example, deleteExample),
  ]),
  ...about("Dataset versions", [
    get(`${dataset}/versions`, listVersions),
    get(`${dataset}/versions/:version`, getVersion),
    get(`${dataset}/diff`, diffVersions),
    post(`${dataset}/restore`, restoreVersion, 201),
  ]),
];
