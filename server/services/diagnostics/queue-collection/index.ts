export { queueCollection } from "./queue-collection";
