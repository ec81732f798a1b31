import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import styles from './releases.module.css';
import type { Member } from './queries';

const rowHeight = 56; // px, as in releases.module.css

type Props = {
  label: string;
  members: readonly Member[];
  /** The index of the member that stays in view; -1: none. */
  shown?: number;
  children: (member: Member, index: number) => ReactNode;
};

/** A list of members, of which only those in view are rendered. */
export function MemberList({ label, members, shown = -1, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({ count: members.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 8 });
  useEffect(() => {
    if (shown >= 0) virtualizer.scrollToIndex(shown);
  }, [shown, virtualizer]);
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={0} role="group" aria-label={label}>
      <ul aria-label={label} className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const member = members[index]!;
          return (
            <li key={member.entryId} aria-setsize={members.length} aria-posinset={index + 1} style={{ transform: `translateY(${start}px)` }}>
              {children(member, index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
