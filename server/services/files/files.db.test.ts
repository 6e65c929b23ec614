import { describeFiles } from "./testing/describe-files";

describeFiles("folder");
