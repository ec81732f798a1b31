import { File, FileText, Film, Image, Music, type LucideIcon } from 'lucide-react';
import { kindOf, typeName, type MediaItem } from './kind';
import styles from './media.module.css';

const icons: Record<ReturnType<typeof kindOf>, LucideIcon> = { image: Image, video: Film, audio: Music, document: FileText };

/** A thumbnail of a whole item in a 4:3 frame, or an icon of its type. */
export function Thumbnail({ item }: { item: MediaItem | undefined }) {
  return (
    <span className={styles.thumbnail}>
      {item && <Inside item={item} />}
    </span>
  );
}

function Inside({ item }: { item: MediaItem }) {
  // SVG files have no renditions; they are small enough to show directly.
  const source = item.thumbWebpUrl ?? item.thumbUrl ?? (item.mimeType === 'image/svg+xml' ? item.fullUrl : null);
  if (source) return <img src={source} alt="" loading="lazy" decoding="async" draggable={false} />;
  const Icon = icons[kindOf(item.mimeType)] ?? File;
  return (
    <span className={styles.sign}>
      <Icon aria-hidden />
      {typeName(item)}
    </span>
  );
}
