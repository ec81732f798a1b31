import { fieldNamed, valuesOf, type Collection, type Field } from './fields';
import { queryPairs, queryString, type Condition, type ListQuery } from './query';

/** The target of a request: the origin of the service, the Project and the collection. */
export type Target = { origin: string; projectUuid: string; collection: Collection; collections: readonly Collection[] };

/** What is requested: a list or one entry. */
export type Question = { list: ListQuery } | { entry: number };

export const forms = ['url', 'curl', 'fetch'] as const;
export type Form = (typeof forms)[number];

/** The REST request as a URL, a curl command or a fetch call. */
export function restRequest(target: Target, question: Question, form: Form): string {
  const url = restURL(target, question);
  if (form === 'url') return url;
  if (form === 'curl') return `curl -g -H "Authorization: Bearer $TOKEN" \\\n  '${url}'`;
  const result = 'list' in question ? '{ data, meta }' : 'entry';
  return `const response = await fetch(${JSON.stringify(url)}, {\n  headers: { Authorization: \`Bearer \${token}\` },\n});\nconst ${result} = await response.json();`;
}

export function restURL({ origin, projectUuid, collection }: Target, question: Question) {
  const entries = `${origin}/public/v2/projects/${projectUuid}/collections/${collection.slug}/entries`;
  if ('entry' in question) return `${entries}/${question.entry}`;
  const query = queryString(queryPairs(question.list));
  return query ? `${entries}?${query}` : entries;
}

/** The GraphQL request as a query, a curl command or a fetch call. undefined: the list searches for words or needs "or", which GraphQL does not have. */
export function graphqlRequest(target: Target, question: Question, form: Form): string | undefined {
  const query = graphqlQuery(target, question);
  if (query === undefined || form === 'url') return query;
  const url = `${target.origin}/public/v2/graphql`;
  if (form === 'curl') {
    const body = JSON.stringify({ query: query.replace(/\n\s*/g, ' ') }).replaceAll("'", "'\\''");
    return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  '${url}' \\\n  -d '${body}'`;
  }
  return `const query = ${JSON.stringify(query)};\nconst response = await fetch(${JSON.stringify(url)}, {\n  method: "POST",\n  headers: { Authorization: \`Bearer \${token}\`, "Content-Type": "application/json" },\n  body: JSON.stringify({ query }),\n});\nconst { data, errors } = await response.json();`;
}

function graphqlQuery({ collection, collections }: Target, question: Question): string | undefined {
  const slug = JSON.stringify(collection.slug);
  if ('entry' in question) return `{\n  entry(collection: ${slug}, id: ${question.entry}) {\n    id\n    locale\n    publishedAt\n    data\n  }\n}`;
  const { where, or, sort, search, locale, state } = question.list;
  // One group of or is equivalent to where.
  if (or.length > 1 || search !== undefined) return undefined;
  const clauses = [...where, ...(or[0] ?? [])].map((c) => clause(c, fieldNamed(collection, c.field, collections)));
  const args = [
    `collection: ${slug}`,
    clauses.length > 0 && `where: [${clauses.join(', ')}]`,
    sort !== undefined && `sort: ${JSON.stringify(sort)}`,
    locale !== undefined && `locale: ${JSON.stringify(locale)}`,
    state !== undefined && `state: ${JSON.stringify(state)}`,
  ].filter(Boolean);
  return `{\n  entries(\n    ${args.join('\n    ')}\n  ) {\n    totalCount\n    items {\n      id\n      locale\n      publishedAt\n      data\n    }\n  }\n}`;
}

function clause({ field: name, operator, values }: Condition, field: Field | undefined) {
  const typed = values.map((value) => literal(value, field));
  const list = valuesOf(operator) > 1;
  const members = [`field: ${JSON.stringify(name)}`, operator !== 'eq' && `op: ${JSON.stringify(operator)}`, values.length > 0 && `value: ${list ? `[${typed.join(', ')}]` : typed[0]}`];
  return `{ ${members.filter(Boolean).join(', ')} }`;
}

const numeric = new Set<Field['type']>(['number', 'relation', 'media']);

function literal(value: string, field: Field | undefined) {
  if (field && numeric.has(field.type) && /^-?\d+(\.\d+)?$/.test(value)) return value;
  if (field?.type === 'boolean' && (value === 'true' || value === 'false')) return value;
  return JSON.stringify(value);
}
