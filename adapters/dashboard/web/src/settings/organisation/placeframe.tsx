import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asApiError } from '../../api/error';
import { useTexts } from '../../i18n/language';
import { NotFound } from '../../shell/failed';
import { Page, PageHead } from '../../shell/page';
import { Problem, Skeleton } from '../../ui/basics';

type FrameProps<T> = {
  query: { data?: T; error: unknown; refetch: () => unknown };
  above?: (place: T) => ReactNode[];
  actions?: (place: T) => ReactNode;
  children: (place: T) => ReactNode;
};

/** The frame of the page of an organisation or a department. It shows the loading and error states of the query. */
export function PlaceFrame<T extends { name: string }>({ query, above, actions, children }: FrameProps<T>) {
  const t = useTexts('settings').placeframe;
  const place = query.data;
  if (!place && query.error && asApiError(query.error).status === 404) return <NotFound />;
  const organisation = (
    <Link key="organisation" activeOptions={{ exact: true }} to="/organisation">
      {t.organisation}
    </Link>
  );
  return (
    <Page title={place?.name ?? t.organisation} above={place ? [organisation, ...(above?.(place) ?? [])] : []}>
      {place ? (
        <>
          <PageHead title={place.name}>{actions?.(place)}</PageHead>
          {children(place)}
        </>
      ) : query.error ? (
        <Problem error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}
