import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Check, Plus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { StatusChip } from '../content/statuschip';
import { useTexts } from '../i18n/language';
import { enough, longestText, searchQuery } from '../shell/searchfind';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { TextField } from '../ui/textfields';
import { putMembers, releaseChanged, type Member, type ReleasePlace } from './queries';
import styles from './releases.module.css';

/** Adds entries that a search finds to a release. */
export function AddEntries({ place, members, onClose }: { place: ReleasePlace; members: readonly Member[]; onClose: () => void }) {
  const t = useTexts('releases').addentries;
  const [text, setText] = useState('');
  const words = useDeferredValue(text.trim());
  const { data, isFetching } = useQuery({ ...searchQuery(words), placeholderData: keepPreviousData });
  const found = enough(words) ? (data?.entries ?? []).filter(({ projectId }) => projectId === place.projectId) : [];
  const [added, setAdded] = useState<ReadonlySet<number>>(new Set());
  const add = useMutation({
    mutationFn: (entryId: number) => putMembers(place, [{ entryId, action: 'publish' }]),
    onSuccess: (_, entryId) => {
      setAdded((now) => new Set([...now, entryId]));
      void releaseChanged(place);
    },
  });
  const isIn = (id: number) => added.has(id) || members.some(({ entryId }) => entryId === id);
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <TextField label={t.search} type="search" value={text} onChange={setText} maxLength={longestText} autoComplete="off" autoFocus />
      <ul className={styles.results} aria-label={t.results}>
        {found.map(({ id, title, collectionName, locale, status }) => (
          <li key={id}>
            <span className={styles.what}>
              <span className={styles.title}>{title}</span>
              <span className={styles.meta}>
                {collectionName} · {locale} <StatusChip entry={{ status }} />
              </span>
            </span>
            <Button icon={isIn(id) ? <Check aria-hidden /> : <Plus aria-hidden />} isDisabled={isIn(id)} isPending={add.isPending && add.variables === id} onPress={() => add.mutate(id)} aria-label={isIn(id) ? t.isIn(title) : t.add(title)}>
              {isIn(id) ? t.added : t.addShort}
            </Button>
          </li>
        ))}
      </ul>
      <p role="status" className={styles.hint}>
        {!enough(words) ? t.type : isFetching ? t.searching : found.length === 0 ? t.nothing : ''}
      </p>
      {add.error && <Problem error={add.error} />}
      <footer>
        <Button onPress={onClose}>{t.close}</Button>
      </footer>
    </Dialog>
  );
}
