import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem, Skeleton } from './basics';
import { Button } from './button';
import styles from './ui.module.css';

type PagedProps<T> = {
  query: Pick<UseInfiniteQueryResult, 'data' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  /** What the pages that were read have. */
  items: T[];
  /** Stands for the list when it has no items. */
  none: ReactNode;
  /** The label of the button that reads the next page. */
  more: string;
  /** Draws a list of at least one item. */
  children: (items: T[]) => ReactNode;
};

/** A list that is read by pages: a placeholder at first, its problem with a retry, and a button for the next page. */
export function Paged<T>({ query, items, none, more, children }: PagedProps<T>) {
  return (
    <>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!query.data && !query.error && <Skeleton />}
      {query.data !== undefined && items.length === 0 && none}
      {items.length > 0 && children(items)}
      {query.hasNextPage && (
        <p className={styles.more}>
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {more}
          </Button>
        </p>
      )}
    </>
  );
}
