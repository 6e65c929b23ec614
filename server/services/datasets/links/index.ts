export { moveExamples } from "./move-examples";
export { updateUsers } from "./update-users";
