import { buildSchema } from "graphql";

/** The part of Linear's published schema that the simulator supports, verbatim except for omitted fields. */
export const LINEAR_SCHEMA = buildSchema(`
  scalar DateTime
  scalar DateTimeOrDuration
  scalar JSONObject
  enum PaginationOrderBy { createdAt updatedAt }

  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type User { id: ID! name: String! }
  type WorkflowState { id: ID! name: String! type: String! position: Float! }
  type WorkflowStateConnection { nodes: [WorkflowState!]! pageInfo: PageInfo! }
  type Team {
    id: ID!
    key: String!
    name: String!
    defaultIssueState: WorkflowState
    states(first: Int): WorkflowStateConnection!
  }
  type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }
  type IssueLabel { id: ID! name: String! isGroup: Boolean! team: Team }
  type IssueLabelConnection { nodes: [IssueLabel!]! pageInfo: PageInfo! }
  type Attachment {
    id: ID!
    url: String!
    title: String!
    sourceType: String
    metadata: JSONObject!
    createdAt: DateTime!
  }
  type AttachmentConnection { nodes: [Attachment!]! pageInfo: PageInfo! }
  type Issue {
    id: ID!
    identifier: String!
    title: String!
    url: String!
    createdAt: DateTime!
    updatedAt: DateTime!
    trashed: Boolean
    state: WorkflowState!
    team: Team!
    attachments(first: Int): AttachmentConnection!
  }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }

  input IDComparator { eq: ID }
  input StringComparator { eq: String eqIgnoreCase: String in: [String!] }
  input DateComparator { gt: DateTimeOrDuration gte: DateTimeOrDuration }
  input TeamFilter { id: IDComparator key: StringComparator }
  input NullableTeamFilter { id: IDComparator key: StringComparator null: Boolean }
  input IssueFilter { team: TeamFilter updatedAt: DateComparator }
  input IssueLabelFilter {
    and: [IssueLabelFilter!]
    or: [IssueLabelFilter!]
    name: StringComparator
    team: NullableTeamFilter
  }
  input IssueCreateInput { id: String teamId: String! title: String description: String labelIds: [String!] }
  input IssueUpdateInput { stateId: String }
  input IssueLabelCreateInput { name: String! teamId: String }
  input CommentCreateInput { id: String issueId: String body: String }
  type IssuePayload { success: Boolean! issue: Issue }
  type IssueLabelPayload { success: Boolean! issueLabel: IssueLabel! }
  type CommentPayload { success: Boolean! }

  type Query {
    viewer: User!
    teams(filter: TeamFilter, first: Int): TeamConnection!
    issue(id: String!): Issue!
    issues(
      filter: IssueFilter
      first: Int
      after: String
      orderBy: PaginationOrderBy
      includeArchived: Boolean
    ): IssueConnection!
    issueLabels(filter: IssueLabelFilter, first: Int): IssueLabelConnection!
  }
  type Mutation {
    issueCreate(input: IssueCreateInput!): IssuePayload!
    issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
    issueLabelCreate(input: IssueLabelCreateInput!): IssueLabelPayload!
    commentCreate(input: CommentCreateInput!): CommentPayload!
  }
`);
