import { operators, type Operator } from '../api/operators';
import { positive } from '../shell/search';
import { listedStatuses, type ListedStatus } from './status';
import { valuesOf } from './fields';

/** A condition in the URL: the field, the operator, and its values. */
export type Filter = [field: string, operator: Operator, ...values: string[]];

/** The parameters of the table's URL. Absent members have their default. */
export type EntriesSearch = {
  /** A locale of the Project, or "*" for all. Default: the Project's default locale. */
  locale?: string;
  /** Filter by what readers see, or show the trash. */
  state?: 'published' | 'draft' | 'trash';
  status?: ListedStatus;
  /** The id of the user that made the latest change. */
  by?: number;
  /** A locale: the entries whose translation into it is missing or older. */
  outdated?: string;
  /** Text that one of the searched fields contains. */
  q?: string;
  where?: Filter[];
  /** Whether one matching filter is enough. */
  any?: true;
  /** As in the API: "title:asc,views:desc". */
  sort?: string;
  /** The names of the columns, separated by commas. */
  columns?: string;
};

const states = ['published', 'draft', 'trash'] as const;
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined);

export function parseEntriesSearch(raw: Record<string, unknown>): EntriesSearch {
  const where = Array.isArray(raw.where) ? raw.where.filter(isFilter) : [];
  return {
    locale: text(raw.locale),
    state: states.find((s) => s === raw.state),
    status: listedStatuses.find((s) => s === raw.status),
    by: positive(raw.by),
    outdated: text(raw.outdated),
    q: text(raw.q),
    where: where.length > 0 ? where : undefined,
    any: raw.any === true || undefined,
    sort: text(raw.sort),
    columns: text(raw.columns),
  };
}

const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

function isFilter(value: unknown): value is Filter {
  if (!Array.isArray(value) || !value.every((v) => typeof v === 'string')) return false;
  const [field, operator = ''] = value;
  if (!field || !isOperator(operator)) return false;
  const count = value.length - 2;
  const wanted = valuesOf(operator);
  return wanted === Infinity ? count > 0 : count === wanted;
}

/** The name of a version of an entry: "r3" is revision 3, "p2" is publication 2. */
export type VersionName = `r${number}` | `p${number}`;

/** The parameters of the history page's URL. */
export type HistorySearch = {
  /** The number of timeline pages that are shown. */
  pages?: number;
  /** The version that is shown. Default: the newest revision. */
  to?: VersionName;
  /** The version that it is compared with, or "none". Default: the previous version of the same kind. */
  from?: VersionName | 'none';
  /** Whether unchanged fields are shown. */
  all?: true;
};

export function parseHistorySearch(raw: Record<string, unknown>): HistorySearch {
  return {
    pages: positive(raw.pages),
    to: versionName(raw.to),
    from: raw.from === 'none' ? 'none' : versionName(raw.from),
    all: raw.all === true || undefined,
  };
}

function versionName(value: unknown): VersionName | undefined {
  return typeof value === 'string' && /^[rp][1-9]\d{0,14}$/.test(value) ? (value as VersionName) : undefined;
}
