import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client';
import { entryQuery } from '../editor/queries';
import { useTexts } from '../i18n/language';
import { publicationsQuery, type Place } from '../review/queries';
import { Segments } from '../ui/segments';
import { SiteFrame } from './frame';
import styles from './preview.module.css';

type Props = {
  place: Place;
  collection: Schemas['Collection'];
  locale: string;
  /** The fields that the request has sealed, and those that readers see now. */
  sealed: Record<string, unknown>;
  published: Record<string, unknown> | undefined;
  /** Whether the bar with the decision lies over the end of the page. */
  isDeciding: boolean;
  /** What the site shows as "Then"; the snapshot of the entry's open request by default. */
  of?: Schemas['PreviewInput']['of'];
  /** In place of the changes. */
  isTab: boolean;
  onClose: () => void;
};

/** The page of the website as the request would make it, and as it is now. */
export function ReviewPreview({ place, collection, locale, sealed, published, of = 'snapshot', isDeciding, isTab, onClose }: Props) {
  const t = useTexts('preview').inreview;
  const [side, setSide] = useState<'now' | 'then'>('then');
  const group = useQuery({ ...entryQuery(place, place.entryId), enabled: collection.previewUrl!.includes('{group}') }).data?.translationGroup;
  const publications = useQuery(publicationsQuery(place)).data?.data;
  const current = publications?.find((p) => p.unpublishedAt === null)?.number;
  const now = published !== undefined && current !== undefined;
  const frame = (
    <SiteFrame
      projectId={place.projectId}
      collection={collection}
      entry={{ id: place.entryId, group, locale, fields: side === 'now' && now ? published : sealed }}
      of={side === 'now' && now ? { publication: current } : of}
      // Lists of what is public have no entry that never was: sites that find pages by their slugs need those of drafts.
      others={published === undefined ? 'drafts' : 'published'}
      onClose={isTab ? undefined : onClose}
      controls={
        now && (
          <Segments
            label={t.sides}
            value={side}
            onChange={setSide}
            options={[
              { id: 'now', label: t.now },
              { id: 'then', label: t.later },
            ]}
          />
        )
      }
    />
  );
  return <div className={isTab ? styles.tab : isDeciding ? styles.aboveBar : styles.whole}>{frame}</div>;
}
