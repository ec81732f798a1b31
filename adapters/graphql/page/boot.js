"use strict";

// The token stays in the header editor of this page: nothing is kept in the browser.
const fetcher = GraphiQL.createFetcher({ url: location.pathname });

const welcome = `# Put a token of your Project into the headers
# below, then press Ctrl-Enter. "Re-fetch GraphQL
# schema" on the left fills in the documentation.

{
  collections {
    slug
    name
    fields {
      name
      type
    }
  }
}
`;

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    defaultQuery: welcome,
    defaultHeaders: '{\n  "Authorization": "Bearer "\n}',
    defaultEditorToolsVisibility: "headers",
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
  }),
);
