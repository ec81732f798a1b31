import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { asApiError } from '../../api/error';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { NotFound } from '../../shell/failed';
import { Page, PageHead } from '../../shell/page';
import { Problem, Skeleton } from '../../ui/basics';
import { tenantQuery } from '../queries';

type Tenant = Schemas['Tenant'];
type FrameProps<T> = {
  tenantId: number;
  query: { data?: T; error: unknown; refetch: () => unknown };
  title: (data: T | undefined) => string;
  actions?: (data: T, tenant: Tenant) => ReactNode;
  children: (data: T, tenant: Tenant) => ReactNode;
};

/** The frame of the page of an identity provider of an organisation. It shows the loading and error states. */
export function ProviderFrame<T>({ tenantId, query, title, actions, children }: FrameProps<T>) {
  const t = useTexts('people').providerframe;
  const of = useQuery(tenantQuery(tenantId));
  const tenant = of.data;
  const error = of.error ?? query.error;
  if ((tenant && !may(tenant, 'tenant.providers.manage')) || (Boolean(error) && asApiError(error).status === 404)) return <NotFound />;
  const links = [
    <Link key="organisation" activeOptions={{ exact: true }} to="/organisation">
      {t.organisation}
    </Link>,
    <Link key="tenant" activeOptions={{ exact: true }} to="/organisation/tenants/$tenantId" params={{ tenantId }}>
      {tenant?.name ?? String(tenantId)}
    </Link>,
  ];
  const name = title(query.data);
  return (
    <Page title={name} above={links}>
      <PageHead title={name}>
        {query.data !== undefined && tenant && actions?.(query.data, tenant)}
      </PageHead>
      {Boolean(error) && <Problem error={error} retry={() => void query.refetch()} />}
      {(query.data === undefined || !tenant) && !error && <Skeleton />}
      {query.data !== undefined && tenant && children(query.data, tenant)}
    </Page>
  );
}
