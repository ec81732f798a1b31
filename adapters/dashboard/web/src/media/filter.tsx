import { Search, X } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTexts } from '../i18n/language';
import { IconButton } from '../ui/button';
import { inputClass, Select } from '../ui/forms';
import { foldersQuery, type MediaFilter } from './data';
import { mediaKinds, type MediaKind } from './kind';
import styles from './media.module.css';

const pause = 250; // ms after the last key

/**
 * The search text, the type and the folder filter of the library. The API accepts one type or all, so "all" is
 * offered only if types is undefined.
 */
export function FilterBar({ projectId, filter, onChange, types, autoFocus }: { projectId: number; filter: MediaFilter; onChange: (filter: MediaFilter) => void; types?: readonly MediaKind[]; autoFocus?: boolean }) {
  const t = useTexts('media').filter;
  const [text, setText] = useState(filter.search ?? '');
  const [known, setKnown] = useState(filter.search);
  if (known !== filter.search) {
    // The filter was changed by the caller, for example by Back.
    setKnown(filter.search);
    if (text.trim() !== (filter.search ?? '')) setText(filter.search ?? '');
  }
  const { data: folders } = useQuery(foldersQuery(projectId));
  const paths = [...new Set([...(folders?.data ?? []).map(({ folder }) => folder), ...(filter.folder === undefined ? [] : [filter.folder])])];
  const search = text.trim() || undefined;
  useEffect(() => {
    if (search === filter.search) return;
    const timer = setTimeout(() => onChange({ ...filter, search }), pause);
    return () => clearTimeout(timer);
  }, [search, filter, onChange]);

  return (
    <div className={styles.filter} role="search">
      <div className={styles.search}>
        <Search aria-hidden />
        <input className={inputClass} type="search" aria-label={t.search} placeholder={t.search} value={text} onChange={(event) => setText(event.target.value)} autoFocus={autoFocus} />
        {text !== '' && <IconButton label={t.clear} icon={<X aria-hidden />} onPress={() => setText('')} />}
      </div>
      {types?.length !== 1 && (
        <Select
          label={t.type}
          hideLabel
          value={filter.type ?? 'all'}
          onChange={(type) => onChange({ ...filter, type: type === 'all' ? undefined : type })}
          options={[...(types ? [] : [{ id: 'all' as const, label: t.all }]), ...(types ?? mediaKinds).map((type) => ({ id: type, label: t[type] }))]}
        />
      )}
      {paths.some((path) => path !== '') && (
        <Select
          label={t.folder}
          hideLabel
          value={filter.folder === undefined ? 'all' : `in ${filter.folder}`}
          onChange={(key) => onChange({ ...filter, folder: key === 'all' ? undefined : key.slice('in '.length) })}
          options={[{ id: 'all', label: t.allFolders }, ...paths.map((path) => ({ id: `in ${path}`, label: path || t.noFolder }))]}
        />
      )}
    </div>
  );
}
