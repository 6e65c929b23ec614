export { countsOf, endExperiments, endExperimentsOfAlias, endExperimentsOfVariant } from "./end-experiments";
