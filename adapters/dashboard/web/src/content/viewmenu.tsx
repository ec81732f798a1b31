import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../i18n/language';
import { Button, IconButton } from '../ui/button';
import { TextField } from '../ui/forms';
import { toast } from '../ui/toast';
import { Popover } from '../ui/popover';
import type { EntriesSearch } from './search';
import styles from './table.module.css';
import { deleteView, loadViews, sameView, saveView } from './views';

type ViewMenuProps = { collectionId: number; search: EntriesSearch; onOpen: (search: EntriesSearch) => void };

/** A menu of the saved views of a collection. */
export function ViewMenu({ collectionId, search, onOpen }: ViewMenuProps) {
  const t = useTexts('content').viewmenu;
  const [, setChanges] = useState(0);
  const [name, setName] = useState('');
  const views = loadViews(collectionId);
  const current = views.find((view) => sameView(view.search, search));
  return (
    <Popover
      label={t.views}
      trigger={
        <Button icon={<Bookmark aria-hidden />} aria-label={current ? t.shown(current.name) : t.views}>
          <span className={styles.word}>{current?.name ?? t.views}</span>
        </Button>
      }
    >
      {(close) => (
        <>
          {views.length === 0 ? (
            <p className={styles.hint}>{t.none}</p>
          ) : (
            <ul className={styles.views}>
              {views.map((view) => (
                <li key={view.name}>
                  <Button
                    kind="quiet"
                    aria-current={view === current || undefined}
                    onPress={() => {
                      onOpen(view.search);
                      close();
                    }}
                  >
                    {view.name}
                  </Button>
                  <IconButton
                    label={t.remove(view.name)}
                    icon={<Trash2 aria-hidden />}
                    onPress={() => {
                      deleteView(collectionId, view.name);
                      setChanges((n) => n + 1);
                    }}
                  />
                </li>
              ))}
            </ul>
          )}
          <form
            className={styles.editor}
            onSubmit={(event) => {
              event.preventDefault();
              if (!name.trim()) return;
              saveView(collectionId, { name: name.trim(), search });
              toast(t.saved(name.trim()));
              setName('');
              close();
            }}
          >
            <TextField label={t.name} hint={t.here} value={name} onChange={setName} maxLength={60} />
            <Button type="submit" isDisabled={!name.trim()}>
              {t.save}
            </Button>
          </form>
        </>
      )}
    </Popover>
  );
}
